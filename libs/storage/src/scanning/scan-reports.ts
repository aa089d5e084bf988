import type { ScanVerdict } from '#scanning';
import { AuditRepository, QuarantineRepository, type Database } from '#persistence';
import { OutageLog, type Logger, type Metrics } from '#platform';
import type { StoredBlob } from '../blobs/blob-store';
import type { ScannedUpload } from './scanned-upload';

const NANOSECONDS = 1e9;

/** Reports scans to operators: by metrics, log lines and the audit log. */
export class ScanReports {
  private readonly audit: AuditRepository;
  private readonly logger: Logger;
  private readonly outage: OutageLog;
  private readonly durations: ReturnType<Metrics['durations']> | undefined;

  /** @param metrics undefined if nobody reads them */
  constructor(database: Database, logger: Logger, metrics?: Metrics) {
    this.audit = new AuditRepository(database);
    this.logger = logger.child({ subsystem: 'scanning' });
    this.outage = new OutageLog(this.logger, 'the scanner of uploads');
    this.durations = metrics?.durations('scan_duration_seconds', 'Time that the scan of one upload took', [
      'verdict',
    ]);
    const rows = new QuarantineRepository(database);
    metrics?.gauge('quarantined_contents', 'Uploads in quarantine', [], async () => [
      { labels: {}, value: (await rows.figures()).contents },
    ]);
    metrics?.gauge('quarantined_bytes', 'Bytes of the uploads in quarantine', [], async () => [
      { labels: {}, value: (await rows.figures()).bytes },
    ]);
  }

  /** Counts a scan by its verdict and measures it. */
  async timed(
    { ownerUid }: ScannedUpload,
    { size }: StoredBlob,
    scan: () => Promise<ScanVerdict>,
  ): Promise<ScanVerdict> {
    const begun = process.hrtime.bigint();
    const verdict = await scan();
    this.durations?.observe({ verdict: verdict.kind }, Number(process.hrtime.bigint() - begun) / NANOSECONDS);
    if (verdict.kind === 'unreachable') this.outage.failed(verdict.error);
    else this.outage.worked();
    if (verdict.kind === 'too-large')
      this.logger.warn({ ownerUid, size }, 'an upload is too large to be scanned as a whole');
    return verdict;
  }

  /** @param error reason why a content could not be put into quarantine; undefined if there is no room for it */
  notKept(error?: unknown): void {
    if (error === undefined) this.logger.warn('the quarantine is full: an upload is not kept');
    else this.logger.error({ err: error }, 'an upload could not be put into quarantine');
  }

  /** Reports a refused content. @param quarantine id of the content there, if it was kept */
  async found(
    upload: ScannedUpload,
    blob: StoredBlob,
    finding: string,
    quarantine: number | undefined,
  ): Promise<void> {
    const { view, ownerUid, storagePath } = upload;
    const { size, sha1 } = blob;
    const share = view.kind === 'shared-node' ? view.shareId : null;
    this.logger.warn(
      { finding, ownerUid, share, size, sha1, quarantine },
      'an upload was refused: malware was found',
    );
    await this.audit.recordRefusal('upload.scan', ['upload', ownerUid + storagePath], {
      reason: 'finding',
      finding,
      share,
      size,
      sha1,
      quarantine: quarantine ?? null,
    });
  }
}
