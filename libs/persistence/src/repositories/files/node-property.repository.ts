import type { Queryable } from '../../database';
import { array, int4, int8, nullable, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';
import { ALIVE } from '../shares/share-row';

/** A property that a client set on a node. */
const DEAD_PROPERTY = {
  nodeId: int8,
  namespace: text,
  name: text,
  /** The content of its element, as XML with its own namespace declarations. */
  value: text,
};
export type DeadProperty = RowOf<typeof DEAD_PROPERTY>;

/** Favourites belong to one user: they are stored as dead properties in this namespace, under the user id. */
export const FAVORITES = 'urn:drawbridge:favorite';

const OF_NODES = statement({
  name: 'dead_property.of_nodes',
  params: { nodeIds: array(int8) },
  row: DEAD_PROPERTY,
  sql: `SELECT node_id AS "nodeId", namespace, name, value FROM dead_property
   WHERE node_id = ANY(:nodeIds::bigint[]) AND namespace <> '${FAVORITES}' ORDER BY node_id, namespace, name`,
});

const SET = statement({
  name: 'dead_property.set',
  params: { nodeId: int8, namespace: text, name: text, value: text },
  sql: `INSERT INTO dead_property (node_id, namespace, name, value) VALUES (:nodeId, :namespace, :name, :value)
   ON CONFLICT (node_id, namespace, name) DO UPDATE SET value = excluded.value`,
});

const REMOVE = statement({
  name: 'dead_property.remove',
  params: { nodeId: int8, namespace: text, name: text },
  sql: `DELETE FROM dead_property WHERE node_id = :nodeId AND namespace = :namespace AND name = :name`,
});

const LOCK = statement({
  name: 'dead_property.lock',
  params: { nodeId: int8 },
  sql: 'SELECT FROM node WHERE id = :nodeId FOR NO KEY UPDATE',
});

const COUNT_OTHERS = statement({
  name: 'dead_property.count_others',
  params: { nodeId: int8, namespaces: array(text), names: array(text) },
  row: { count: int8 },
  sql: `SELECT count(*) AS count FROM dead_property WHERE node_id = :nodeId AND namespace <> '${FAVORITES}'
     AND (namespace, name) NOT IN (SELECT * FROM unnest(:namespaces::text[], :names::text[]))`,
});

const FAVORITES_AMONG = statement({
  name: 'favorite.among',
  params: { nodeIds: array(int8), uid: text },
  row: { nodeId: int8 },
  sql: `SELECT node_id AS "nodeId" FROM dead_property
   WHERE node_id = ANY(:nodeIds::bigint[]) AND namespace = '${FAVORITES}' AND name = :uid`,
});

const TYPES_OF_NODES = statement({
  name: 'node.share_types',
  params: { nodeIds: array(int8), uid: text },
  row: { nodeId: int8, types: array(int4) },
  sql: `SELECT s.node_id AS "nodeId", array_agg(DISTINCT s.share_type ORDER BY s.share_type)::integer[] AS types FROM share s
   WHERE s.node_id = ANY(:nodeIds::bigint[]) AND (s.initiator_uid = :uid OR s.owner_uid = :uid) AND s.group_share_id IS NULL AND ${ALIVE}
   GROUP BY s.node_id`,
});

const STORAGE_USAGE = {
  /** null: unlimited, or decided by a partner. */
  quotaBytes: nullable(int8),
  usedBytes: int8,
};
export type StorageUsage = RowOf<typeof STORAGE_USAGE>;

const USAGES = statement({
  name: 'storage.usages',
  params: { storageIds: array(int4) },
  row: { ...STORAGE_USAGE, storageId: int4 },
  sql: `SELECT s.id AS "storageId", CASE WHEN s.received_share_id IS NULL THEN a.quota_bytes END AS "quotaBytes", root.size AS "usedBytes"
   FROM storage s
   JOIN user_account a ON a.uid = s.owner_uid
   JOIN node root ON root.storage_id = s.id AND root.path_hash = md5('')::uuid AND root.path = ''
   WHERE s.id = ANY(:storageIds::integer[])`,
});

const INSTANCE = statement({
  name: 'instance.id',
  row: { id: text },
  sql: `SELECT instance_id AS id FROM instance`,
});

/** Properties for PROPFIND and PROPPATCH that are not in the tree. Each read answers for all nodes of a listing at once. */
export class NodePropertyRepository {
  constructor(private readonly database: Queryable) {}

  deadProperties(nodeIds: readonly number[]): Promise<DeadProperty[]> {
    return this.database.rows(OF_NODES, { nodeIds });
  }

  /** Waits for other changes of the node's properties, and lets others wait until the transaction ends. */
  async lock(nodeId: number): Promise<void> {
    await this.database.rows(LOCK, { nodeId });
  }

  /** Number of properties that the node has beside the named ones. */
  async countOthers(
    nodeId: number,
    named: readonly Pick<DeadProperty, 'namespace' | 'name'>[],
  ): Promise<number> {
    const namespaces = named.map(({ namespace }) => namespace);
    const names = named.map(({ name }) => name);
    return (await this.database.rows(COUNT_OTHERS, { nodeId, namespaces, names }))[0]!.count;
  }

  async setDeadProperty(property: DeadProperty): Promise<void> {
    const { nodeId, namespace, name, value } = property;
    await this.database.rows(SET, { nodeId, namespace, name, value });
  }

  async removeDeadProperty(nodeId: number, namespace: string, name: string): Promise<void> {
    await this.database.rows(REMOVE, { nodeId, namespace, name });
  }

  /** Nodes of this list that are favourites of the user. */
  async favorites(nodeIds: readonly number[], uid: string): Promise<Set<number>> {
    const rows = await this.database.rows(FAVORITES_AMONG, { nodeIds, uid });
    return new Set(rows.map((row) => row.nodeId));
  }

  async markFavorite(nodeId: number, uid: string, marked: boolean): Promise<void> {
    if (marked) await this.database.rows(SET, { nodeId, namespace: FAVORITES, name: uid, value: '' });
    else await this.database.rows(REMOVE, { nodeId, namespace: FAVORITES, name: uid });
  }

  /** Types of the shares that the user made of these nodes, or that others made of the user's nodes. */
  async shareTypes(nodeIds: readonly number[], uid: string): Promise<Map<number, number[]>> {
    const rows = await this.database.rows(TYPES_OF_NODES, { nodeIds, uid });
    return new Map(rows.map((row) => [row.nodeId, row.types]));
  }

  /** Used and allowed bytes of each storage. */
  async usages(storageIds: readonly number[]): Promise<Map<number, StorageUsage>> {
    const rows = await this.database.rows(USAGES, { storageIds });
    return new Map(rows.map((row) => [row.storageId, row]));
  }

  /** Name of this instance in ids that clients store. */
  async instanceId(): Promise<string> {
    return (await this.database.rows(INSTANCE))[0]!.id;
  }
}
