import { randomBytes } from 'node:crypto';
import { UnfinishedCopyRepository, type Database, type DeadCopy } from '#persistence';
import { childOf, parentOf, type NodePath } from '../tree/node-path';
import type { Place } from '../tree/place';
import { TreeFailure } from '../tree/tree-failure';
import { userView } from '../tree/tree-view';
import type { TreeWriter } from '../tree/tree-writer';
import { RemoteFailure } from '#federation/remote-files';
import { recordMissing } from './remote-record';
import type { RemoteTree } from './remote-tree';

const SIGN_OF_LIFE_MS = 20_000;
/** Time without a sign of life after which the replica of a copy counts as gone. */
const SILENT_SECONDS = 600;

/** Copies between servers that have another name until they are complete. A copy whose process died is removed later. */
export class UnfinishedCopies {
  private readonly copies: UnfinishedCopyRepository;

  constructor(
    private readonly database: Database,
    private readonly writer: TreeWriter,
    private readonly remote: RemoteTree,
  ) {
    this.copies = new UnfinishedCopyRepository(database);
  }

  /**
   * Makes a copy beside its destination.
   * @param make gets the name of the copy; when it succeeds, no entry has the name any more
   */
  async beside<T>(destination: Place, make: (name: string) => Promise<T>): Promise<T> {
    const name = `.incoming-${randomBytes(8).toString('hex')}`;
    const path = childOf(parentOf(destination.storagePath as NodePath), name);
    await this.copies.begin(name, destination.storageId, path);
    const signs = setInterval(() => void this.copies.touch(name).catch(() => undefined), SIGN_OF_LIFE_MS);
    try {
      const made = await make(name);
      await this.copies.end(name);
      return made;
    } finally {
      clearInterval(signs);
    }
  }

  /** Removes copies whose replica is gone, and those that could not be removed when they failed. @returns the number of ended ones */
  async removeDead(signal?: AbortSignal): Promise<number> {
    for (let ended = 0; ;) {
      const copy = signal?.aborted ? undefined : await this.copies.claim(SILENT_SECONDS);
      if (!copy) return ended;
      if (!(await this.remove(copy))) continue;
      await this.copies.end(copy.name);
      ended++;
    }
  }

  /** @returns false if it has to be tried again */
  private async remove(copy: DeadCopy): Promise<boolean> {
    const { receivedShareId, nodeId: id } = copy;
    const path = copy.path as NodePath;
    try {
      if (receivedShareId !== null) await this.removeThere(receivedShareId, path);
      else if (id !== null) await this.writer.undo(userView(copy.ownerUid), path, { id });
      return true;
    } catch (error) {
      if (!(error instanceof TreeFailure)) throw error;
      return copy.isOld || error.code === 'not-found' || error.code === 'forbidden';
    }
  }

  private async removeThere(receivedShareId: number, path: NodePath): Promise<void> {
    const share = await this.remote.share(receivedShareId);
    await this.remote.change(share, (partner) =>
      partner.remove(share, path).catch((error: unknown) => {
        if (!(error instanceof RemoteFailure) || error.code !== 'missing') throw error;
      }),
    );
    await recordMissing(this.database, share, path);
  }
}
