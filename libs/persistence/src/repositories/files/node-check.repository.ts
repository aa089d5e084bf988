import type { Queryable } from '../../database';
import { filtered, int4, int8, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';
import { NodeWriteRepository } from './node-write.repository';
import { StorageRoomRepository } from './storage-room.repository';

/** A node with contradictory facts. */
const SUSPECT_NODE = {
  nodeId: int8,
  storageId: int4,
  ownerUid: text,
  path: text,
};
export type SuspectNode = RowOf<typeof SUSPECT_NODE>;

/** A folder whose size is not the sum of its entries. */
const WRONG_SIZE = {
  ...SUSPECT_NODE,
  size: int8,
  entriesSize: int8,
};
export type WrongSize = RowOf<typeof WRONG_SIZE>;

/** A storage with a wrong number of files and folders. */
const WRONG_COUNT = {
  storageId: int4,
  ownerUid: text,
  counted: filtered(int8),
  actual: int8,
};
export type WrongCount = RowOf<typeof WRONG_COUNT>;

/** A storage with a wrong number of bytes in versions. */
const WRONG_VERSION_BYTES = { storageId: int4, ownerUid: text, counted: int8, actual: int8 };
type WrongVersionBytes = RowOf<typeof WRONG_VERSION_BYTES>;

/** A share that is wrongly hidden, or wrongly visible. */
const HIDDEN_SHARE = { shareId: int8, ownerUid: text, path: text };
type HiddenShare = RowOf<typeof HIDDEN_SHARE>;

const SUSPECT = `n.id AS "nodeId", n.storage_id AS "storageId", n.owner_uid AS "ownerUid", n.path`;

const MISPLACED = statement({
  name: 'node_check.misplaced',
  params: { nodeId: int8, limit: int8 },
  row: SUSPECT_NODE,
  sql: `SELECT ${SUSPECT} FROM node n JOIN node parent ON parent.id = n.parent_id JOIN storage st ON st.id = n.storage_id
   WHERE n.id > :nodeId AND (n.path <> parent.path || '/' || n.name OR n.storage_id <> parent.storage_id
     OR n.owner_uid <> st.owner_uid OR parent.kind <> 'folder')
   ORDER BY n.id LIMIT :limit`,
});

const LOST_TRASH = statement({
  name: 'node_check.lost_trash',
  params: { after: int8, limit: int8 },
  row: SUSPECT_NODE,
  sql: `SELECT ${SUSPECT} FROM node n LEFT JOIN trashed_node t ON t.node_id = n.id
   WHERE n.id > :after AND ((starts_with(n.path, '~') AND n.parent_id IS NULL) <> (t.node_id IS NOT NULL) OR t.owner_uid <> n.owner_uid)
   ORDER BY n.id LIMIT :limit`,
});

/** Their place and time of deletion are unknown: the node appears in its owner's trash bin as if it was deleted from the root now. */
const ENTER_TRASH = statement({
  name: 'node_check.enter_trash',
  params: { nodeId: int8 },
  sql: `INSERT INTO trashed_node (node_id, owner_uid, name, folder_path, deleted_at, actor_kind)
   SELECT n.id, n.owner_uid, n.name, '', greatest(date_trunc('second', now()), (SELECT max(t.deleted_at) + interval '1 second' FROM trashed_node t
     WHERE t.owner_uid = n.owner_uid AND t.name = n.name AND t.deleted_at >= date_trunc('second', now()))), 'system'
   FROM node n WHERE n.id = :nodeId AND n.parent_id IS NULL AND starts_with(n.path, '~')
   ON CONFLICT (node_id) DO UPDATE SET owner_uid = excluded.owner_uid`,
});
const LEAVE_TRASH = statement({
  name: 'node_check.leave_trash',
  params: { nodeId: int8 },
  sql: `DELETE FROM trashed_node t USING node n WHERE t.node_id = :nodeId AND n.id = t.node_id AND NOT (starts_with(n.path, '~') AND n.parent_id IS NULL)`,
});

const HIDDEN_SHARES = statement({
  name: 'node_check.hidden_shares',
  params: { after: int8, limit: int8 },
  row: HIDDEN_SHARE,
  sql: `SELECT s.id AS "shareId", n.owner_uid AS "ownerUid", n.path FROM share s JOIN node n ON n.id = s.node_id
   WHERE s.id > :after AND (s.trashed_at IS NOT NULL) <> starts_with(n.path, '~') ORDER BY s.id LIMIT :limit`,
});

const WRONG_SIZES = statement({
  name: 'node_check.wrong_sizes',
  params: { nodeId: int8, limit: int8 },
  row: WRONG_SIZE,
  sql: `SELECT ${SUSPECT}, n.size, coalesce(sum(entry.size), 0)::bigint AS "entriesSize"
   FROM node n LEFT JOIN node entry ON entry.parent_id = n.id
   WHERE n.kind = 'folder' AND n.received_share_id IS NULL AND n.id > :nodeId
   GROUP BY n.id HAVING n.size <> coalesce(sum(entry.size), 0)
   ORDER BY n.id LIMIT :limit`,
});

const RECOUNT = statement({
  name: 'node_check.recount',
  params: { storageId: int4 },
  row: { id: int8 },
  sql: `WITH RECURSIVE up AS (
     SELECT parent_id AS folder_id, size FROM node WHERE storage_id = :storageId AND kind = 'file'
     UNION ALL
     SELECT n.parent_id, up.size FROM up JOIN node n ON n.id = up.folder_id WHERE n.parent_id IS NOT NULL
   ), total AS (SELECT folder_id, sum(size) AS size FROM up GROUP BY folder_id)
   UPDATE node n SET size = coalesce(total.size, 0)
   FROM node folder LEFT JOIN total ON total.folder_id = folder.id
   WHERE folder.id = n.id AND n.storage_id = :storageId AND n.kind = 'folder' AND n.size <> coalesce(total.size, 0)
   RETURNING n.id`,
});

const WRONG_COUNTS = statement({
  name: 'node_check.wrong_counts',
  params: { storageId: int4, limit: int8 },
  row: WRONG_COUNT,
  sql: `SELECT st.id AS "storageId", st.owner_uid AS "ownerUid", st.node_count AS counted, actual.nodes AS actual
   FROM storage st CROSS JOIN LATERAL (SELECT count(*) AS nodes FROM node n WHERE n.storage_id = st.id AND n.path <> '') actual
   WHERE st.id > :storageId AND st.received_share_id IS NULL AND st.node_count <> actual.nodes
   ORDER BY st.id LIMIT :limit`,
});

const VERSION_BYTES = `(SELECT coalesce(sum(v.size), 0)::bigint FROM file_version v JOIN node n ON n.id = v.node_id WHERE n.storage_id = st.id)`;

const WRONG_VERSION_COUNTS = statement({
  name: 'node_check.wrong_version_bytes',
  params: { storageId: int4, limit: int8 },
  row: WRONG_VERSION_BYTES,
  sql: `SELECT st.id AS "storageId", st.owner_uid AS "ownerUid", st.version_bytes AS counted, ${VERSION_BYTES} AS actual
   FROM storage st WHERE st.id > :storageId AND st.received_share_id IS NULL AND st.version_bytes <> ${VERSION_BYTES}
   ORDER BY st.id LIMIT :limit`,
});

const COUNT_VERSION_BYTES = statement({
  name: 'node_check.count_version_bytes',
  params: { storageId: int4 },
  sql: `UPDATE storage st SET version_bytes = ${VERSION_BYTES} WHERE st.id = :storageId`,
});

/** Finds contradictions in the node tree. Lists are in the order of ids, one page at a time. */
export class NodeCheckRepository {
  constructor(private readonly database: Queryable) {}

  /** Nodes behind `nodeId` whose path, storage or owner does not match their parent. */
  misplaced(nodeId: number, limit: number): Promise<SuspectNode[]> {
    return this.database.rows(MISPLACED, { nodeId, limit });
  }

  /** Nodes behind `nodeId` that are in the trash bin without an entry, or have an entry and are not there. */
  lostTrash(nodeId: number, limit: number): Promise<SuspectNode[]> {
    return this.database.rows(LOST_TRASH, { after: nodeId, limit });
  }

  /** Shares behind `shareId` that are hidden although their node is in the tree, or visible although it is not. */
  wronglyHidden(shareId: number, limit: number): Promise<HiddenShare[]> {
    return this.database.rows(HIDDEN_SHARES, { after: shareId, limit });
  }

  /** Folders behind `nodeId` with a wrong size. */
  wrongSizes(nodeId: number, limit: number): Promise<WrongSize[]> {
    return this.database.rows(WRONG_SIZES, { nodeId, limit });
  }

  /** Storages behind `storageId` with a wrong number of files and folders. */
  wrongCounts(storageId: number, limit: number): Promise<WrongCount[]> {
    return this.database.rows(WRONG_COUNTS, { storageId, limit });
  }

  /** Storages behind `storageId` with a wrong number of bytes in versions. */
  wrongVersionBytes(storageId: number, limit: number): Promise<WrongVersionBytes[]> {
    return this.database.rows(WRONG_VERSION_COUNTS, { storageId, limit });
  }

  /** Makes a node's entry in the trash bin match the node, inside a transaction. */
  async mendTrash({ nodeId, storageId }: Pick<SuspectNode, 'nodeId' | 'storageId'>): Promise<void> {
    await new NodeWriteRepository(this.database).lockStorages([storageId]);
    await this.database.rows(LEAVE_TRASH, { nodeId });
    await this.database.rows(ENTER_TRASH, { nodeId });
  }

  /** Sums up the bytes of all versions in a storage again, inside a transaction. */
  async recountVersions(storageId: number): Promise<void> {
    await new NodeWriteRepository(this.database).lockStorages([storageId]);
    await this.database.rows(COUNT_VERSION_BYTES, { storageId });
  }

  /** Counts the files and folders of a storage again, inside a transaction. */
  async recountNodes(storageId: number): Promise<void> {
    await new NodeWriteRepository(this.database).lockStorages([storageId]);
    await new StorageRoomRepository(this.database).countNodes(storageId);
  }

  /** Sums up the folders of a storage again, inside a transaction. Changed folders, and all above them, get new etags. */
  async recount(storageId: number, etag: string, at: Date): Promise<void> {
    const writes = new NodeWriteRepository(this.database);
    await writes.lockStorages([storageId]);
    for (const { id } of await this.database.rows(RECOUNT, { storageId }))
      await writes.propagate(id, 0, etag, at);
  }
}
