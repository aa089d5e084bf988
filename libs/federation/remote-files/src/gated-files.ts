import type { Readable } from 'node:stream';
import type { WebappEntry } from '#federation/exchange';
import type { PartnerGateRepository } from '#persistence';
import { ROOT, type ByteRange, type DownloadPermit, type NodePath } from '#sharing';
import { PROBE_MS, PATIENCE_MS, within } from './patience';
import { RemoteFailure } from './remote-failure';
import type {
  RemoteContent,
  RemoteEntry,
  RemoteFiles,
  RemotePage,
  RemoteShare,
  RemoteWrite,
} from './remote-files';
import { SignsOfLife } from './signs-of-life';

/** Pause for other requests while one request finds out whether the partner is there, in milliseconds. */
const PROBE_ENDS_MS = 2_000;
/** Time limit for a partner's server to answer a greeting, in milliseconds. */
const GREETING_MS = 5_000;

/**
 * The files of partners behind two gates: one per share, and one per partner's host. While a gate is shut, requests are refused at
 * once (`barred`). After a pause one request finds out whether the partner is back, and all others wait a moment for it. A silent share
 * may lie behind a third server, so it shuts only its own gate, unless it answers other requests at the same time. When it shuts, the
 * partner's server is greeted; if it does not answer, the gate of the host is shut. A request for a
 * share uses the state in its row, so a healthy partner costs no statement.
 */
export class GatedFiles implements RemoteFiles {
  /** Running greetings, by partner. */
  private readonly greeted = new Map<number, Promise<void>>();
  private readonly signs = new SignsOfLife();

  constructor(
    private readonly files: RemoteFiles,
    private readonly gates: PartnerGateRepository,
  ) {}

  greet(share: RemoteShare, withinMs: number): Promise<void> {
    return this.files.greet(share, withinMs);
  }

  confirm(share: RemoteShare, withinMs: number): Promise<void> {
    return this.files.confirm(share, withinMs);
  }

  /** Behind no gate: these are the gates of contents, and a person asks for a single exchange. */
  enterWebapp(share: RemoteShare, page: RemotePage, hosts: readonly string[]): Promise<WebappEntry> {
    return this.files.enterWebapp(share, page, hosts);
  }

  async probe(
    share: RemoteShare,
    path: NodePath,
    depth: 0 | 1,
    withinMs?: number,
  ): Promise<readonly RemoteEntry[]> {
    await this.enter(share);
    return this.note(share, this.files.probe(share, path, depth, withinMs), withinMs);
  }

  read(
    share: RemoteShare,
    path: NodePath,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<RemoteContent> {
    return this.pass(share, () => this.files.read(share, path, range, leave));
  }

  readIfChanged(
    share: RemoteShare,
    path: NodePath,
    etag: string,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<RemoteContent | 'unchanged'> {
    return this.pass(share, () => this.files.readIfChanged(share, path, etag, range, leave));
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
    const isShut = (share.trouble?.shutMs ?? null) !== null;
    if (isShut && (await within(this.open(share), PATIENCE_MS)) === 'late')
      throw barred(share, PROBE_ENDS_MS);
    return this.note(share, work());
  }

  /**
   * Passes both gates. If one is shut, this may be the request that finds out whether it can open. @throws RemoteFailure
   * `barred`, or if the host is away
   */
  private async enter(share: RemoteShare): Promise<void> {
    const { trouble, peerId, receivedShareId } = share;
    if (!trouble || trouble.shutMs === null) return;
    if (trouble.shutMs > 0) throw barred(share, trouble.shutMs);
    if (trouble.isHostShut) {
      if (!(await this.gates.claimProbe(peerId))) throw barred(share, PROBE_ENDS_MS);
      await this.greetHost(share);
    }
    if (trouble.isShareShut && !(await this.gates.claimShareProbe(receivedShareId)))
      throw barred(share, PROBE_ENDS_MS);
  }

  /** Returns when the share may be requested. */
  private async open(share: RemoteShare): Promise<void> {
    await this.enter(share);
    if (!share.trouble?.isShareShut) return;
    try {
      await this.note(share, this.files.probe(share, ROOT, 0, PROBE_MS));
    } catch (error) {
      if (!(error instanceof RemoteFailure) || error.contact !== 'answered') throw error;
    }
  }

  /**
   * Records the partner's answer.
   * @param withinMs limit of a probe. A share that is silent for less than `PROBE_MS` is not away yet
   */
  private async note<T>(share: RemoteShare, work: Promise<T>, withinMs = PROBE_MS): Promise<T> {
    const request = this.signs.follow(share.receivedShareId);
    try {
      const result = await work;
      request.answered();
      await this.noteAnswer(share);
      return result;
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (error.contact === 'answered') request.answered();
      if (error.contact === 'silent' && !request.isAlone()) throw error;
      const isSilent = error.contact === 'silent' && withinMs >= PROBE_MS;
      await this.noteFailure(share, error, performance.now() - request.askedAt, isSilent);
      throw error;
    } finally {
      request.ended();
    }
  }

  private async noteFailure(
    share: RemoteShare,
    { contact }: RemoteFailure,
    tookMs: number,
    isSilent: boolean,
  ): Promise<void> {
    switch (contact) {
      case 'none':
        return;
      case 'answered':
        return this.noteAnswer(share);
      case 'away':
        return this.gates.noteAway(share.peerId, tookMs, false);
      case 'gap':
      case 'silent':
        if (await this.gates.noteShareAway(share.receivedShareId, tookMs, isSilent)) this.suspectHost(share);
    }
  }

  /** Runs in the background: the result is for later requests. */
  private suspectHost(share: RemoteShare): void {
    const { peerId } = share;
    if (this.greeted.has(peerId)) return;
    const greeting = this.greetHost(share)
      .catch(() => undefined)
      .finally(() => this.greeted.delete(peerId));
    this.greeted.set(peerId, greeting);
  }

  /** Asks whether the partner's server is there, and sets the gate of its host. @throws RemoteFailure if it is not */
  private async greetHost(share: RemoteShare): Promise<void> {
    const askedAt = performance.now();
    try {
      await this.files.greet(share, GREETING_MS);
    } catch (error) {
      if (error instanceof RemoteFailure && error.contact !== 'none')
        await this.gates.noteAway(share.peerId, performance.now() - askedAt, true);
      throw error;
    }
    await this.gates.noteAnswer(share.peerId);
  }

  private async noteAnswer({ receivedShareId, peerId, trouble }: RemoteShare): Promise<void> {
    if (!trouble || !(trouble.contentFails || trouble.messagesShut)) return;
    await this.gates.noteShareAnswer(receivedShareId);
    await this.gates.noteAnswer(peerId);
  }
}

const barred = ({ hostKey }: RemoteShare, waitMs: number): RemoteFailure =>
  new RemoteFailure('barred', hostKey, 'its files are away', Math.ceil(waitMs / 1000), 'none');
