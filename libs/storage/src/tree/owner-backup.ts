import { NodeRepository, VersionRepository, type Database, type NodeRow } from '#persistence';
import { decideAccess, PLAIN_SESSION } from '#sharing';
import type { BlobStore } from '../blobs/blob-store';
import { sourceChanged } from './admission';
import { CopyAllowance } from './copy-allowance';
import type { NodePath } from './node-path';
import type { Place } from './place';
import { copiesOf, copyContents, subtreeToCopy, type CopiedContents } from './subtree-copy';
import type { TreeTransaction } from './tree-transaction';

/**
 * A copy of a node that is moved out of a share, for the trash bin of its owner. Without it, a recipient could take files away from
 * their owner by a move. The copy has the properties and versions of the node. Its contents are stored before the move.
 */
export class OwnerBackup {
  private constructor(
    private readonly rows: readonly NodeRow[],
    private readonly contents: CopiedContents,
  ) {}

  /** @throws TreeFailure `too-many-entries`, `changed-meanwhile` */
  static async of(database: Database, blobs: BlobStore, node: NodeRow): Promise<OwnerBackup> {
    const rows = await subtreeToCopy(new NodeRepository(database), node);
    const versions = await new VersionRepository(database).keysOf(rows.map(({ id }) => id));
    new CopyAllowance('move out of a share').take(rows.length + versions.length);
    // The copy goes to the owner, so no share matters.
    const leave = decideAccess('own', PLAIN_SESSION).downloadPermit()!;
    return new OwnerBackup(rows, await copyContents(blobs, [...rows, ...versions], leave));
  }

  get blobKeys(): string[] {
    return [...this.contents.values()];
  }

  /**
   * Puts the copy into the trash bin, as if it had been deleted where the node was.
   * @param moved the node before its move @throws TreeFailure `changed-meanwhile` if it is not what was copied
   */
  async discard(change: TreeTransaction, moved: NodeRow, from: NodePath, source: Place): Promise<void> {
    if (moved.etag !== this.rows[0]!.etag) throw sourceChanged();
    const copies = await copiesOf(change, this.rows, this.contents, from, source);
    await change.writes.insertCopies(source.storageId, source.ownerUid, copies, change.etag, change.author);
    await change.versions.copyHistory(source.storageId, copies, this.contents);
    await change.discard({ ...moved, id: copies[0]!.id }, source);
  }
}
