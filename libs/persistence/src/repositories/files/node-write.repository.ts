import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import { type NodeRow } from './node-row';
import {
  LOCK_STORAGES,
  INSERT,
  OVERWRITE,
  PROPAGATE,
  DELETE,
  MOVE,
  SETTLE_RESHARES,
  GIVE_SHARES,
  NEW_IDS,
  INSERT_MANY,
  COPY_PROPERTIES,
} from './node-write-statements';

/** The author of a content: a user, or through a share the visitor of the link or the partner. Folders have neither. */
export interface ContentAuthor {
  readonly author: string | null;
  readonly throughShare: number | null;
}

/** A node that is to be: its content is durable already. */
export interface NewNode extends ContentAuthor {
  readonly storageId: number;
  readonly parentId: number;
  readonly ownerUid: string;
  readonly name: string;
  /** In the storage of its owner. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly mimetype: string;
  readonly size: number;
  readonly mtime: Date;
  readonly etag: string;
  readonly blobKey: string | null;
  readonly checksum: string | null;
}

/** Content that replaces what a file held. */
export interface NewContent extends ContentAuthor {
  readonly size: number;
  readonly mtime: Date;
  readonly etag: string;
  readonly blobKey: string;
  readonly checksum: string | null;
}

/** Where a moved node will stand. */
export interface MoveTarget {
  readonly storageId: number;
  readonly ownerUid: string;
  readonly parentId: number;
  readonly name: string;
  readonly path: string;
  readonly mimetype: string;
}

/** A copied node: like the original but for its place, what its name says, and its content's key. */
export interface NodeCopy {
  readonly original: NodeRow;
  readonly id: number;
  readonly parentId: number;
  readonly name: string;
  readonly path: string;
  readonly mimetype: string;
  readonly blobKey: string | null;
}

const PATH_LIMITS = [
  'node_path_check',
  'share_recipient_file_target_check',
  'received_share_file_target_check',
];

/** Whether a move failed because a path below the moved folder, or a mount's, would be longer than paths can be. */
export function exceedsPathLimit(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23514' && PATH_LIMITS.includes(constraint ?? '');
}

/** Changes the node tree; every call belongs inside a transaction that holds the locks of the storages it changes. */
export class NodeWriteRepository {
  constructor(private readonly transaction: Queryable) {}

  /** Makes this transaction the only writer of these storages until it ends. */
  async lockStorages(storageIds: readonly number[]): Promise<void> {
    await this.transaction.rows(LOCK_STORAGES, { storageIds });
  }

  async insert(node: NewNode): Promise<NodeRow> {
    const [row] = await this.transaction.rows(INSERT, node);
    return row!;
  }

  async overwrite(nodeId: number, content: NewContent): Promise<NodeRow> {
    const { size, mtime, etag, blobKey, checksum, author, throughShare } = content;
    const values = { nodeId, size, mtime, etag, blobKey, checksum, author, throughShare };
    const [row] = await this.transaction.rows(OVERWRITE, values);
    return row!;
  }

  /** Gives `folderId` and all folders above it a new etag and adds `sizeDelta` bytes (which may be negative). */
  async propagate(folderId: number, sizeDelta: number, etag: string, at: Date): Promise<void> {
    await this.propagateAll(new Map([[folderId, sizeDelta]]), etag, at);
  }

  /** The same for several folders, each with its own bytes: a folder above some of them is written once. */
  async propagateAll(sizeDeltas: ReadonlyMap<number, number>, etag: string, at: Date): Promise<void> {
    const values = { folderIds: [...sizeDeltas.keys()], sizeDeltas: [...sizeDeltas.values()], etag, at };
    await this.transaction.rows(PROPAGATE, values);
  }

  /** Removes nodes and all below them for good. @returns the keys of the contents that nothing refers to any more */
  async deleteSubtrees(nodeIds: readonly number[]): Promise<string[]> {
    const rows = await this.transaction.rows(DELETE, { nodeIds, acting: actingText() });
    return rows.flatMap((row) => row.blobKey ?? []);
  }

  /** Moves a node and all below it, within a storage or into another one, in one statement. */
  async moveSubtree(nodeId: number, to: MoveTarget): Promise<void> {
    await this.transaction.rows(MOVE, {
      nodeId,
      storageId: to.storageId,
      ownerUid: to.ownerUid,
      parentId: to.parentId,
      name: to.name,
      path: to.path,
      mimetype: to.mimetype,
    });
  }

  /** Applies the rule for initiators without access to what they shared on of the moved node and of all below it. */
  async settleReshares({ storageId, path }: MoveTarget): Promise<void> {
    await this.transaction.rows(SETTLE_RESHARES, { storageId, path });
  }

  /** Shares belong to the node: those of a moved node and of all below it stay, with their initiators, under its new owner. */
  async giveSharesOfSubtree(nodeId: number, ownerUid: string): Promise<void> {
    await this.transaction.rows(GIVE_SHARES, { nodeId, ownerUid, acting: actingText() });
  }

  async newIds(count: number): Promise<number[]> {
    return (await this.transaction.rows(NEW_IDS, { count })).map((row) => row.id);
  }

  /** Inserts copies (parents before their children need not come first) with their dead properties. */
  async insertCopies(
    storageId: number,
    ownerUid: string,
    copies: readonly NodeCopy[],
    etag: string,
    { author, throughShare }: ContentAuthor,
  ): Promise<void> {
    const records = copies.map((copy) => ({
      id: copy.id,
      parent_id: copy.parentId,
      name: copy.name,
      path: copy.path,
      kind: copy.original.kind,
      mimetype: copy.mimetype,
      size: copy.original.size,
      mtime: copy.original.mtime,
      blob_key: copy.blobKey,
      checksum: copy.original.checksum,
    }));
    const values = { storageId, ownerUid, etag, records: JSON.stringify(records), author, throughShare };
    await this.transaction.rows(INSERT_MANY, values);
    await this.transaction.rows(COPY_PROPERTIES, {
      originals: copies.map((copy) => copy.original.id),
      copies: copies.map((copy) => copy.id),
    });
  }
}
