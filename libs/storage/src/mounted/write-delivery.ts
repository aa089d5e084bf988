import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import {
  RemoteNodeRepository,
  StoredWriteRepository,
  type Database,
  type MountedShareRow,
  type StoredWrite,
} from '#persistence';
import { RemoteFailure, type RemoteEntry } from '#federation/remote-files';
import { keptInsteadText, numberedName, UPLOAD_PERMIT, type PolicySource, type WriteRefusal } from '#sharing';
import { BlobMissing, type BlobStore } from '../blobs/blob-store';
import { discardOrphans } from '../tree/discard-blobs';
import { newEtag } from '../tree/etag';
import { childOf, nameOf, parentOf, ROOT, type NodePath } from '../tree/node-path';
import { TreeFailure, type TreeFailureCode } from '../tree/tree-failure';
import { nodeIn, userView } from '../tree/tree-view';
import type { TreeWriter } from '../tree/tree-writer';
import type { RemoteTree } from './remote-tree';

/** Milliseconds after which another replica takes over a delivery of a dead one. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
const AT_ONCE_PER_PARTNER = 4;
const FIRST_PAUSE_MS = 2_000;
/** An absent partner costs nothing, because its gate refuses at once. */
const LONGEST_PAUSE_MS = 120_000;

const REFUSALS: Partial<Record<RemoteFailure['code'], WriteRefusal>> = {
  forbidden: 'forbidden',
  'no-space': 'no-space',
  conflict: 'folder-gone',
  exists: 'changed',
  missing: 'folder-gone',
  'precondition-failed': 'changed',
};

/** Name of a kept file whose own name is refused here. */
const ALLOWED_NAME = 'kept file';
const NAME_FAILURES: ReadonlySet<TreeFailureCode> = new Set(['name-refused', 'name-blacklisted']);

/** Result of one attempt. */
export type DeliveryOutcome = 'delivered' | 'refused' | 'postponed' | 'given-up';

/** This process lost its claim: another replica has it, or the writer replaced the content. */
class HeldNoLonger extends Error {}

/**
 * Delivers contents that wait for partners. An attempt without an answer may have arrived, so the file at the partner is checked before the
 * next attempt. A refused content becomes a file of its writer, in the transaction that ends its waiting.
 */
export class WriteDelivery {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly remote: RemoteTree,
    private readonly tree: TreeWriter,
    private readonly policy: PolicySource,
  ) {}

  /** Claims the next due content for this process; undefined if there is none, or if this process cannot reach partners. */
  async claim(): Promise<ClaimedWrite | undefined> {
    if (!this.remote.reachesPartners) return undefined;
    return new StoredWriteRepository(this.database).claim(LEASE_MS, AT_ONCE_PER_PARTNER);
  }

  /** One attempt. @param signal interrupts it; it is repeated later */
  async deliver(write: ClaimedWrite, signal: AbortSignal): Promise<DeliveryOutcome> {
    const lease = this.keepHeld(write, signal);
    try {
      return await this.attempt(write, lease.signal);
    } catch (error) {
      if (error instanceof HeldNoLonger && !signal.aborted) return 'given-up';
      await new StoredWriteRepository(this.database).postpone(
        write,
        pauseAfter(write.attempts),
        wordsOf(error),
      );
      // For example, the writer's quota has no room for it.
      const isExpected = error instanceof RemoteFailure || error instanceof TreeFailure;
      if (isExpected || lease.signal.aborted) return 'postponed';
      throw error;
    } finally {
      lease.end();
    }
  }

  private async attempt(write: ClaimedWrite, signal: AbortSignal): Promise<DeliveryOutcome> {
    if (write.refusal !== null) return this.keepInstead(write, write.refusal as WriteRefusal);
    if (write.isGivenUp) return this.refuse(write, 'given-up');
    const share = await new RemoteNodeRepository(this.database).findMounted(write.receivedShareId);
    if (!share) return this.refuse(write, 'ended');
    const { maxAgeMs } = (await this.policy.current()).partnerWrites;
    if (write.ageMs > maxAgeMs) return this.refuse(write, 'late');
    try {
      const known = write.sentSha1 === null ? write : await this.settleDoubt(share, write, signal);
      if (known === 'delivered') return 'delivered';
      await this.send(share, known, signal);
      return 'delivered';
    } catch (error) {
      const refusal = error instanceof RemoteFailure ? REFUSALS[error.code] : undefined;
      if (!refusal) throw error;
      if (refusal === 'changed' && write.sentSha1 !== null) {
        // A request that was cut off may reach its end at the partner after the first look.
        const known = await this.settleDoubt(share, write, signal);
        if (known === 'delivered') return 'delivered';
        if (known.expects !== write.expects) throw error;
      }
      return this.refuse(write, refusal);
    }
  }

  /** Finds out whether an earlier sending has arrived. */
  private async settleDoubt(
    share: MountedShareRow,
    write: ClaimedWrite,
    signal: AbortSignal,
  ): Promise<ClaimedWrite | 'delivered'> {
    const entry = await this.entryThere(share, write.path as NodePath);
    const etag = entry?.etag ?? null;
    if (etag !== write.expects && (await this.isSent(share, write, entry, signal))) {
      if (write.sentSha1 === write.sha1) {
        await this.settle(share, write, etag!);
        return 'delivered';
      }
      return this.continueWith(write, etag);
    }
    // Either nothing has arrived, or another user wrote there: the condition of the next request decides.
    return this.continueWith(write, write.expects);
  }

  private async continueWith(write: ClaimedWrite, expects: string | null): Promise<ClaimedWrite> {
    if (!(await new StoredWriteRepository(this.database).noteThere(write, expects))) throw new HeldNoLonger();
    return { ...write, expects };
  }

  private async isSent(
    share: MountedShareRow,
    write: ClaimedWrite,
    entry: RemoteEntry | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (entry?.kind !== 'file') return false;
    if (write.sentSha1 === write.sha1 && entry.size !== write.size) return false;
    const path = write.path as NodePath;
    const { body } = await this.remote.partners.read(share, path, undefined, UPLOAD_PERMIT);
    const digest = createHash('sha1');
    await pipeline(body, digest, { signal });
    return digest.digest('hex') === write.sentSha1;
  }

  private async entryThere(share: MountedShareRow, path: NodePath): Promise<RemoteEntry | undefined> {
    try {
      return (await this.remote.partners.probe(share, path, 0))[0];
    } catch (error) {
      if (error instanceof RemoteFailure && error.code === 'missing') return undefined;
      throw error;
    }
  }

  private async send(share: MountedShareRow, write: ClaimedWrite, signal: AbortSignal): Promise<void> {
    const { path, size, mtime, expects } = write;
    const body = await this.blobs.read(write.blobKey, undefined, UPLOAD_PERMIT, size);
    const breakOff = (): void => void body.destroy(new HeldNoLonger());
    signal.addEventListener('abort', breakOff, { once: true });
    try {
      if (!(await new StoredWriteRepository(this.database).noteSending(write))) throw new HeldNoLonger();
      const sent = await this.remote.partners.write(share, path as NodePath, body, { size, mtime, expects });
      const etag = sent.etag ?? (await this.entryThere(share, path as NodePath))?.etag;
      if (etag === undefined) throw new RemoteFailure('unreachable', share.hostKey, 'taken, and not shown');
      await this.settle(share, write, etag);
    } finally {
      signal.removeEventListener('abort', breakOff);
      body.on('error', () => undefined).destroy();
    }
  }

  /** Notes that the partner has it with this ETag; the node keeps its own. */
  private async settle(share: MountedShareRow, write: ClaimedWrite, etag: string): Promise<void> {
    const peerId = await this.database.transaction(async (transaction) => {
      const nodes = new RemoteNodeRepository(transaction);
      const held = await nodes.lock(share.receivedShareId, share.askedAt);
      const removed = await new StoredWriteRepository(transaction).remove(write);
      if (!removed) throw new HeldNoLonger();
      if (held) await nodes.noteChange(held.storageId);
      if (held && removed.nodeId !== null) await nodes.setPartnerEtag(removed.nodeId, etag);
      return removed.peerId;
    });
    await discardOrphans(this.database, this.blobs, [write.blobKey]);
    await new StoredWriteRepository(this.database).makeDue(peerId);
  }

  /** The node shows the partner's content again, as soon as that is known. */
  private async refuse(write: ClaimedWrite, refusal: WriteRefusal): Promise<DeliveryOutcome> {
    const { receivedShareId, path } = write;
    await this.database.transaction(async (transaction) => {
      const nodes = new RemoteNodeRepository(transaction);
      const share = await nodes.findMounted(receivedShareId);
      const held = share && (await nodes.lock(receivedShareId, share.askedAt));
      if (!(await new StoredWriteRepository(transaction).refuse(write, refusal))) throw new HeldNoLonger();
      if (!held || write.nodeId === null || path === ROOT) return;
      await nodes.noteChange(held.storageId);
      const folder = parentOf(path as NodePath);
      if (write.expects === null) await nodes.removeEntry(held.storageId, folder, nameOf(path));
      await nodes.propagate(held.storageId, folder, newEtag(), write.expects === null ? -write.size : 0);
    });
    const node = null;
    await this.remote.consult({ receivedShareId, path: path as NodePath, node }).catch(() => undefined);
    return this.keepInstead(write, refusal);
  }

  /** Gives the content to its writer as a file of their own. */
  private async keepInstead(write: ClaimedWrite, refusal: WriteRefusal): Promise<DeliveryOutcome> {
    const name = write.path === ROOT ? write.shareName : nameOf(write.path);
    await this.keepAs(name, write, name, refusal).catch((error: unknown) => {
      // The partner has files with names that nobody may use here.
      if (!(error instanceof TreeFailure) || !NAME_FAILURES.has(error.code)) throw error;
      return this.keepAs(ALLOWED_NAME, write, name, refusal);
    });
    await discardOrphans(this.database, this.blobs, [write.blobKey]);
    return 'refused';
  }

  /** @param name of the file at the partner */
  private async keepAs(keptName: string, write: ClaimedWrite, name: string, refusal: WriteRefusal) {
    const { writerUid, blobKey, size, mtime, shareName, hostKey } = write;
    const path = await this.freePath(writerUid, keptName);
    const body = await this.blobs.read(blobKey, undefined, UPLOAD_PERMIT, size);
    try {
      await this.tree.put(userView(writerUid), path, body, {
        announcedSize: size,
        mtime,
        makesWay: true,
        source: 'stored',
        along: async (transaction, at) => {
          const writes = new StoredWriteRepository(transaction);
          if (!(await writes.remove(write))) throw new HeldNoLonger();
          await writes.tell(write, keptInsteadText({ name, shareName, hostKey }, refusal, at));
        },
      });
    } finally {
      body.destroy();
    }
  }

  /** A free name among the writer's own files and mounts. */
  private async freePath(uid: string, name: string): Promise<NodePath> {
    for (let number = 1; ; number++) {
      const path = childOf(ROOT, number === 1 ? name : numberedName(name, number, 'file'));
      if (!(await nodeIn(this.database, userView(uid), path))) return path;
    }
  }

  /** Extends the claim of a write while it is delivered; its signal aborts if that fails. */
  private keepHeld(write: ClaimedWrite, outer: AbortSignal): { readonly signal: AbortSignal; end(): void } {
    const lost = new AbortController();
    const writes = new StoredWriteRepository(this.database);
    let renewedAt = performance.now();
    const renew = async (): Promise<void> => {
      const askedAt = performance.now();
      const isHeld = await writes.renew(write, LEASE_MS).catch(() => undefined);
      if (isHeld === false) lost.abort();
      else if (isHeld) renewedAt = askedAt;
      // The database was unreachable for so long that another process may take the write.
      else if (performance.now() - renewedAt > LEASE_MS - RENEW_EVERY_MS) lost.abort();
    };
    const timer = setInterval(() => void renew(), RENEW_EVERY_MS);
    return { signal: AbortSignal.any([outer, lost.signal]), end: () => clearInterval(timer) };
  }
}

export type ClaimedWrite = StoredWrite & { readonly ageMs: number };

const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(Math.max(attempts - 1, 0), 10), LONGEST_PAUSE_MS);

function wordsOf(error: unknown): string {
  if (error instanceof RemoteFailure) return error.detail;
  if (error instanceof TreeFailure) return error.code;
  return error instanceof BlobMissing ? 'its content is gone' : 'an error of our own';
}
