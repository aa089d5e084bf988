import { bool, int8, nullable } from '../../postgres-types';

/** Columns for the room of a storage; `toRoom` of the repository reads them. */
export const ROOM_ROW = {
  quota: nullable(int8),
  used: int8,
  storedNodes: nullable(int8),
  maxNodes: int8,
  hasTrash: bool,
};

/** A query with one row for the room of a storage; parameters `:uploadId` and `:defaultMaxNodes`. */
export const roomOf = (storageId: string): string => `SELECT
     CASE WHEN s.received_share_id IS NULL THEN a.quota_bytes END AS quota,
     root.size + coalesce((SELECT sum(u.received_bytes) FROM upload u WHERE u.storage_id = s.id AND u.id IS DISTINCT FROM :uploadId), 0)::bigint AS used,
     s.node_count AS "storedNodes",
     CASE WHEN s.received_share_id IS NULL
       THEN coalesce((SELECT value::bigint FROM setting WHERE app = 'files' AND key = 'max_nodes_per_user'), :defaultMaxNodes::bigint)
       ELSE 0 END AS "maxNodes",
     s.received_share_id IS NULL AND EXISTS (SELECT FROM trashed_node t WHERE t.owner_uid = s.owner_uid) AS "hasTrash"
   FROM storage s
   JOIN user_account a ON a.uid = s.owner_uid
   JOIN node root ON root.storage_id = s.id AND root.path_hash = md5('')::uuid AND root.path = ''
   WHERE s.id = ${storageId}`;
