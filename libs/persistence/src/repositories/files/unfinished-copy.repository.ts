import type { Queryable } from '../../database';
import { bool, float8, int4, int8, nullable, text, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';

const BEGIN = statement({
  name: 'unfinished_copy.begin',
  params: { name: text, storageId: int4, path: text },
  sql: 'INSERT INTO unfinished_copy (name, storage_id, path) VALUES (:name, :storageId, :path)',
});

const TOUCH = statement({
  name: 'unfinished_copy.touch',
  params: { name: text },
  sql: 'UPDATE unfinished_copy SET seen_at = now() WHERE name = :name',
});

const END = statement({
  name: 'unfinished_copy.end',
  params: { name: text },
  sql: 'DELETE FROM unfinished_copy WHERE name = :name',
});

const DEAD_COPY = {
  name: text,
  ownerUid: text,
  receivedShareId: nullable(int8),
  path: text,
  /** null: no entry with its name is known. */
  nodeId: nullable(int8),
  isOld: bool,
};
/** A copy without a sign of life. */
export type DeadCopy = RowOf<typeof DEAD_COPY>;

const CLAIM = statement({
  name: 'unfinished_copy.claim',
  params: { silentSeconds: float8 },
  row: DEAD_COPY,
  sql: `WITH dead AS (
     SELECT name FROM unfinished_copy WHERE seen_at < now() - make_interval(secs => :silentSeconds)
     ORDER BY seen_at LIMIT 1 FOR UPDATE SKIP LOCKED
   ), claimed AS (
     UPDATE unfinished_copy c SET seen_at = now() FROM dead WHERE c.name = dead.name RETURNING c.*
   )
   SELECT c.name, s.owner_uid AS "ownerUid", s.received_share_id AS "receivedShareId",
     coalesce(n.path, c.path) AS path, n.id AS "nodeId", c.begun_at < now() - interval '7 days' AS "isOld"
   FROM claimed c JOIN storage s ON s.id = c.storage_id LEFT JOIN node n ON n.storage_id = c.storage_id AND n.name = c.name`,
});

/** Copies that have another name until they are complete, for all replicas. */
export class UnfinishedCopyRepository {
  constructor(private readonly database: Queryable) {}

  async begin(name: string, storageId: number, path: string): Promise<void> {
    await this.database.rows(BEGIN, { name, storageId, path });
  }

  /** A sign of life from the replica that works on it. */
  async touch(name: string): Promise<void> {
    await this.database.rows(TOUCH, { name });
  }

  async end(name: string): Promise<void> {
    await this.database.rows(END, { name });
  }

  /** Takes one whose replica gave no sign of life for this time. No other call takes it before the same time has passed again. */
  async claim(silentSeconds: number): Promise<DeadCopy | undefined> {
    return (await this.database.rows(CLAIM, { silentSeconds }))[0];
  }
}
