import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import { keptConditions, type KeptConditions } from './kept-conditions';
import { type NodeRow } from './node-row';
import {
  LOCK_STORAGES,
  INSERT,
  OVERWRITE,
  TOUCH,
  PROPAGATE,
  DELETE,
  MOVE,
  HELD_BY_RESHARERS,
  SETTLE_RESHARES,
  GIVE_SHARES,
  NEW_IDS,
  PLAN_CHECKS_AGAIN,
  INSERT_MANY,
  COPY_PROPERTIES,
} from './node-write-statements';

/** The author of a content: a user, or the visitor or partner of a share. Folders have none. */
export interface ContentAuthor {
  readonly author: string | null;
  readonly throughShare: number | null;
}

/** A new node, whose content is already stored durably. */
export interface NewNode extends ContentAuthor {
  readonly storageId: number;
  readonly parentId: number;
  readonly ownerUid: string;
  readonly name: string;
  /** Path in the storage of its owner. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly mimetype: string;
  readonly size: number;
  readonly mtime: Date;
  readonly etag: string;
  readonly blobKey: string | null;
  readonly checksum: string | null;
}

/** New content of an existing file. */
export interface NewContent extends ContentAuthor {
  readonly size: number;
  readonly mtime: Date;
  readonly etag: string;
  readonly blobKey: string;
  readonly checksum: string | null;
}

/** New place of a moved node. */
export interface MoveTarget {
  readonly storageId: number;
  readonly ownerUid: string;
  readonly parentId: number;
  readonly name: string;
  readonly path: string;
  readonly mimetype: string;
}

/** A copied node. It equals the original except for its place, the facts that depend on its name, and its content's key. */
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

/** Whether a move failed because a path below the moved folder, or a path of a mount, would be too long. */
export function exceedsPathLimit(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23514' && PATH_LIMITS.includes(constraint ?? '');
}

/** So many copies at once are worth new plans for the checks of foreign keys. */
const MANY_COPIES = 1_000;

/** Changes the node tree. Every call belongs inside a transaction that holds the locks of the changed storages. */
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

  /** Sets the time of the last change of a node. */
  async touch(nodeId: number, mtime: Date, etag: string): Promise<void> {
    await this.transaction.rows(TOUCH, { nodeId, mtime, etag });
  }

  /** Gives `folderId` and all folders above it a new etag and `sizeDelta` more bytes (which may be negative). */
  async propagate(folderId: number, sizeDelta: number, etag: string, at: Date): Promise<void> {
    await this.propagateAll(new Map([[folderId, sizeDelta]]), etag, at);
  }

  /** The same for several folders, each with its own bytes: a common parent is written once. */
  async propagateAll(sizeDeltas: ReadonlyMap<number, number>, etag: string, at: Date): Promise<void> {
    const values = { folderIds: [...sizeDeltas.keys()], sizeDeltas: [...sizeDeltas.values()], etag, at };
    await this.transaction.rows(PROPAGATE, values);
  }

  /** Removes nodes and everything below them for good. @returns the keys of the contents without any reference left */
  async deleteSubtrees(nodeIds: readonly number[]): Promise<string[]> {
    const rows = await this.transaction.rows(DELETE, { nodeIds, acting: actingText() });
    return rows.flatMap((row) => row.blobKey ?? []);
  }

  /** Moves a node and everything below it, within a storage or into another one, with one statement. */
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

  /** Conditions that reshares of the node, and of nodes below it, have to keep if a move takes it from their initiators. */
  async conditionsToKeep(nodeId: number): Promise<KeptConditions[]> {
    const [row] = await this.transaction.rows(HELD_BY_RESHARERS, { nodeId });
    return keptConditions(row!.held);
  }

  /**
   * Applies the rule for initiators who lose access to their reshares, to the moved node and everything below it.
   * @param kept `conditionsToKeep` before the move
   */
  async settleReshares({ storageId, path }: MoveTarget, kept: readonly KeptConditions[]): Promise<void> {
    await this.transaction.rows(SETTLE_RESHARES, { storageId, path, kept: JSON.stringify(kept) });
  }

  /** Shares belong to the node: those of a moved node and of everything below it stay under the new owner, with their initiators. */
  async giveSharesOfSubtree(nodeId: number, ownerUid: string): Promise<void> {
    await this.transaction.rows(GIVE_SHARES, { nodeId, ownerUid, acting: actingText() });
  }

  async newIds(count: number): Promise<number[]> {
    return (await this.transaction.rows(NEW_IDS, { count })).map((row) => row.id);
  }

  /** Inserts copies with their dead properties, in any order of parents and children. */
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
    if (copies.length >= MANY_COPIES) await this.transaction.rows(PLAN_CHECKS_AGAIN);
    await this.transaction.rows(INSERT_MANY, values);
    await this.transaction.rows(COPY_PROPERTIES, {
      originals: copies.map((copy) => copy.original.id),
      copies: copies.map((copy) => copy.id),
    });
  }
}
