import type { ScanQueue, ScanVerdict } from '#scanning';
import { SCANNER_PERMIT, type PolicySource, type ScanRules } from '#sharing';
import type { BlobStore, StoredBlob } from '../blobs/blob-store';
import { nameOf } from '../tree/node-path';
import type { PutOptions } from '../tree/put-content';
import { TreeFailure } from '../tree/tree-failure';
import type { TreeView } from '../tree/tree-view';
import type { Quarantine } from './quarantine';
import type { ScannedUpload } from './scanned-upload';
import type { ScanReports } from './scan-reports';

/** The one scan of contents, after they are stored and before they become visible. */
export class ContentScan {
  /** @param scanner undefined if none is configured: then nothing is scanned */
  constructor(
    private readonly blobs: BlobStore,
    private readonly policy: PolicySource,
    private readonly scanner: ScanQueue | undefined,
    private readonly reports: ScanReports,
    private readonly quarantine: Quarantine,
  ) {}

  /** The rules for contents that come through a view; undefined if they need no scan. */
  async rulesFor(view: TreeView, { source = 'sender' }: PutOptions): Promise<ScanRules | undefined> {
    // These bytes were scanned when they were stored.
    if (!this.scanner || source === 'stored') return undefined;
    const { scanning } = await this.policy.current();
    const isOfOthers = view.kind === 'shared-node' || source === 'partner';
    return isOfOthers || scanning.everybody ? scanning : undefined;
  }

  /** Refuses a content before its transfer if it would be refused anyway. @throws TreeFailure `unscannable` */
  async admitSize(view: TreeView, options: PutOptions): Promise<void> {
    const { announcedSize = 0 } = options;
    const rules = await this.rulesFor(view, options);
    if (rules) refuseLarger(rules, announcedSize);
  }

  /** @throws TreeFailure `infected`, `unscannable`, `scanner-unavailable` if a stored content may not become visible */
  async admit(upload: ScannedUpload, blob: StoredBlob, options: PutOptions): Promise<void> {
    const rules = await this.rulesFor(upload.view, options);
    if (!rules || blob.size === 0) return;
    refuseLarger(rules, blob.size);
    const verdict = await this.reports.timed(upload, blob, () => this.scan(upload, blob, rules));
    switch (verdict.kind) {
      case 'clean':
        return;
      case 'finding':
        await this.reports.found(
          upload,
          blob,
          verdict.name,
          await this.keep(upload, blob, verdict.name, rules),
        );
        throw infected(verdict.name);
      case 'too-large':
        if (rules.refusesLarger) throw unscannable();
        return;
      case 'unreachable':
        if (rules.refusesUnscanned) throw unavailable();
        return;
    }
  }

  /** The upload is refused, whether or not it can be kept. */
  private async keep(
    upload: ScannedUpload,
    blob: StoredBlob,
    finding: string,
    rules: ScanRules,
  ): Promise<number | undefined> {
    if (!rules.quarantine.isOn) return undefined;
    try {
      const id = await this.quarantine.keep(upload, blob, finding, rules);
      if (id === undefined) this.reports.notKept();
      return id;
    } catch (error) {
      this.reports.notKept(error);
      return undefined;
    }
  }

  private async scan({ path }: ScannedUpload, blob: StoredBlob, rules: ScanRules): Promise<ScanVerdict> {
    const size = Math.min(blob.size, rules.maxBytes);
    const isWhole = size === blob.size;
    const verdict = await this.scanner!.scan(async () => {
      const range = isWhole ? undefined : { start: 0, end: size - 1 };
      return { body: await this.blobs.read(blob.blobKey, range, SCANNER_PERMIT), size, name: nameOf(path) };
    });
    return verdict.kind === 'clean' && !isWhole ? { kind: 'too-large' } : verdict;
  }
}

function refuseLarger(rules: ScanRules, size: number): void {
  if (rules.refusesLarger && size > rules.maxBytes) throw unscannable();
}

/** The text of deployed servers. */
const infected = (finding: string): TreeFailure =>
  new TreeFailure('infected', `Virus ${finding} is detected in the file. Upload cannot be completed.`);

const unscannable = (): TreeFailure =>
  new TreeFailure(
    'unscannable',
    'The file is too large to be scanned for viruses. Upload cannot be completed.',
  );

const unavailable = (): TreeFailure =>
  new TreeFailure(
    'scanner-unavailable',
    'The file cannot be scanned for viruses at the moment: try again later',
  );
