import type { Readable } from 'node:stream';
import type { PartnerGateRepository } from '#persistence';
import type { DownloadLeave } from '#sharing';
import type { ByteRange } from '../blobs/blob-store';
import { ROOT, type NodePath } from '../tree/node-path';
import { PROBE_MS, PATIENCE_MS, within } from './patience';
import { RemoteFailure } from './remote-failure';
import type { RemoteContent, RemoteEntry, RemoteFiles, RemoteShare, RemoteWrite } from './remote-files';

/** When to come back while somebody else finds out whether the partner is there, in milliseconds. */
const PROBE_ENDS_MS = 2_000;

/**
 * The files of partners behind their gates. While those of a partner are away, requests are refused at once
 * (`barred`). After a pause one probe finds out whether they are back, and everything else waits a moment for it. What is asked for a
 * share goes by what its row says of the partner, so that a partner that is well costs no statement.
 */
export class GatedFiles implements RemoteFiles {
  constructor(
    private readonly files: RemoteFiles,
    private readonly gates: PartnerGateRepository,
  ) {}

  async probe(
    share: RemoteShare,
    path: NodePath,
    depth: 0 | 1,
    withinMs?: number,
  ): Promise<readonly RemoteEntry[]> {
    const shutMs = share.trouble?.shutMs ?? null;
    if (shutMs !== null) {
      if (shutMs > 0) throw barred(share, shutMs);
      if (!(await this.gates.claimProbe(share.peerId))) throw barred(share, PROBE_ENDS_MS);
    }
    return this.note(share, this.files.probe(share, path, depth, withinMs), withinMs);
  }

  read(
    share: RemoteShare,
    path: NodePath,
    range: ByteRange | undefined,
    leave: DownloadLeave,
  ): Promise<RemoteContent> {
    return this.pass(share, () => this.files.read(share, path, range, leave));
  }

  write(
    share: RemoteShare,
    path: NodePath,
    content: Readable,
    options?: RemoteWrite,
  ): Promise<{ readonly created: boolean; readonly etag: string | null }> {
    return this.pass(share, () => this.files.write(share, path, content, options));
  }

  makeFolder(share: RemoteShare, path: NodePath): Promise<void> {
    return this.pass(share, () => this.files.makeFolder(share, path));
  }

  remove(share: RemoteShare, path: NodePath): Promise<void> {
    return this.pass(share, () => this.files.remove(share, path));
  }

  move(share: RemoteShare, from: NodePath, to: NodePath, overwrite: boolean): Promise<void> {
    return this.pass(share, () => this.files.move(share, from, to, overwrite));
  }

  private async pass<T>(share: RemoteShare, work: () => Promise<T>): Promise<T> {
    const shutMs = share.trouble?.shutMs ?? null;
    if (shutMs !== null && (await within(this.awaitAnswer(share), PATIENCE_MS)) === 'late')
      throw barred(share, PROBE_ENDS_MS);
    return this.note(share, work());
  }

  /** Resolves when the partner answers, even with a refusal. @throws RemoteFailure when it does not answer */
  private async awaitAnswer(share: RemoteShare): Promise<void> {
    try {
      await this.probe(share, ROOT, 0, PROBE_MS);
    } catch (error) {
      if (!(error instanceof RemoteFailure) || error.contact !== 'answered') throw error;
    }
  }

  /**
   * Records how the partner answered.
   * @param withinMs limit of a probe. A partner that is silent for less than `PROBE_MS` is not away yet: one share of it may
   *   lie behind a third server that is slow.
   */
  private async note<T>(share: RemoteShare, work: Promise<T>, withinMs = PROBE_MS): Promise<T> {
    const askedAt = performance.now();
    const isPatient = withinMs >= PROBE_MS;
    try {
      const result = await work;
      await this.noteAnswer(share);
      return result;
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      const { contact } = error;
      if (contact === 'answered') await this.noteAnswer(share);
      else if (contact !== 'none')
        await this.gates.noteAway(
          share.peerId,
          performance.now() - askedAt,
          contact === 'silent' && isPatient,
        );
      throw error;
    }
  }

  private async noteAnswer({ peerId, trouble }: RemoteShare): Promise<void> {
    if (trouble && (trouble.contentFails || trouble.messagesShut)) await this.gates.noteAnswer(peerId);
  }
}

const barred = ({ hostKey }: RemoteShare, waitMs: number): RemoteFailure =>
  new RemoteFailure('barred', hostKey, 'its files are away', Math.ceil(waitMs / 1000), 'none');
