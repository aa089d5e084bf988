import type { Queryable } from '../../database';
import { statement } from '../../statement';
import { ALIVE } from '../shares/share-row';

/** A property that a client gave a node. */
export interface DeadProperty {
  readonly nodeId: number;
  readonly namespace: string;
  readonly name: string;
  /** The inside of its element, as XML with its own namespace declarations. */
  readonly value: string;
}

/** Favourites belong to one user: they are kept beside the dead properties under this namespace and the user id. */
export const FAVORITES = 'urn:drawbridge:favorite';

const OF_NODES = statement<DeadProperty>(
  'dead_property.of_nodes',
  `SELECT node_id AS "nodeId", namespace, name, value FROM dead_property
   WHERE node_id = ANY($1::bigint[]) AND namespace <> '${FAVORITES}' ORDER BY node_id, namespace, name`,
);

const SET = statement(
  'dead_property.set',
  `INSERT INTO dead_property (node_id, namespace, name, value) VALUES ($1, $2, $3, $4)
   ON CONFLICT (node_id, namespace, name) DO UPDATE SET value = excluded.value`,
);

const REMOVE = statement(
  'dead_property.remove',
  `DELETE FROM dead_property WHERE node_id = $1 AND namespace = $2 AND name = $3`,
);

const COUNT = statement<{ count: number }>(
  'dead_property.count',
  `SELECT count(*) AS count FROM dead_property WHERE node_id = $1 AND namespace <> '${FAVORITES}'`,
);

const FAVORITES_AMONG = statement<{ nodeId: number }>(
  'favorite.among',
  `SELECT node_id AS "nodeId" FROM dead_property
   WHERE node_id = ANY($1::bigint[]) AND namespace = '${FAVORITES}' AND name = $2`,
);

const SHARE_TYPES = statement<{ nodeId: number; types: number[] }>(
  'node.share_types',
  `SELECT s.node_id AS "nodeId", array_agg(DISTINCT s.share_type ORDER BY s.share_type)::integer[] AS types FROM share s
   WHERE s.node_id = ANY($1::bigint[]) AND (s.initiator_uid = $2 OR s.owner_uid = $2) AND ${ALIVE}
   GROUP BY s.node_id`,
);

const USAGES = statement<StorageUsage & { storageId: number }>(
  'storage.usages',
  `SELECT s.id AS "storageId", CASE WHEN s.received_share_id IS NULL THEN a.quota_bytes END AS "quotaBytes", root.size AS "usedBytes"
   FROM storage s
   JOIN user_account a ON a.uid = s.owner_uid
   JOIN node root ON root.storage_id = s.id AND root.path_hash = md5('')::uuid AND root.path = ''
   WHERE s.id = ANY($1::integer[])`,
);

const INSTANCE = statement<{ id: string }>('instance.id', `SELECT instance_id AS id FROM instance`);

export interface StorageUsage {
  /** null: unlimited, or a partner's to say. */
  readonly quotaBytes: number | null;
  readonly usedBytes: number;
}

/** Properties that PROPFIND and PROPPATCH need beside the tree; each read answers for all nodes of a listing at once. */
export class NodePropertyRepository {
  constructor(private readonly database: Queryable) {}

  deadProperties(nodeIds: readonly number[]): Promise<DeadProperty[]> {
    return this.database.rows(OF_NODES, [nodeIds]);
  }

  async countDeadProperties(nodeId: number): Promise<number> {
    return (await this.database.rows(COUNT, [nodeId]))[0]!.count;
  }

  async setDeadProperty(property: DeadProperty): Promise<void> {
    const { nodeId, namespace, name, value } = property;
    await this.database.rows(SET, [nodeId, namespace, name, value]);
  }

  async removeDeadProperty(nodeId: number, namespace: string, name: string): Promise<void> {
    await this.database.rows(REMOVE, [nodeId, namespace, name]);
  }

  /** Those of the nodes that the user marked as favourites. */
  async favorites(nodeIds: readonly number[], uid: string): Promise<Set<number>> {
    const rows = await this.database.rows(FAVORITES_AMONG, [nodeIds, uid]);
    return new Set(rows.map((row) => row.nodeId));
  }

  async markFavorite(nodeId: number, uid: string, marked: boolean): Promise<void> {
    if (marked) await this.database.rows(SET, [nodeId, FAVORITES, uid, '']);
    else await this.database.rows(REMOVE, [nodeId, FAVORITES, uid]);
  }

  /** Types of the shares that the user made of these nodes or that others made of the user's nodes. */
  async shareTypes(nodeIds: readonly number[], uid: string): Promise<Map<number, number[]>> {
    const rows = await this.database.rows(SHARE_TYPES, [nodeIds, uid]);
    return new Map(rows.map((row) => [row.nodeId, row.types]));
  }

  /** How full each of these storages is. */
  async usages(storageIds: readonly number[]): Promise<Map<number, StorageUsage>> {
    const rows = await this.database.rows(USAGES, [storageIds]);
    return new Map(rows.map((row) => [row.storageId, row]));
  }

  /** Name of this instance in ids that clients keep. */
  async instanceId(): Promise<string> {
    return (await this.database.rows(INSTANCE))[0]!.id;
  }
}
