import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { int2, int8, nullable, type RowOf, text, textOf, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { ENDED_SHARE, NOTIFYING_APP } from '../accounts/notified-objects';

/** Days for which a share that its recipient ended stays visible. */
export const ENDED_SHARE_DAYS = 30;

/** A share that its recipient at a partner declined or left. */
const ENDED_SHARE_ROW = {
  id: int8,
  owner: text,
  initiator: text,
  /** Federated cloud id as it was written. */
  recipient: text,
  node: int8,
  /** Name of the node when the share ended. */
  name: text,
  kind: textOf<'file' | 'folder'>(),
  permissions: int2,
  created: timestamptz,
  ended: textOf<'declined' | 'left'>(),
  endedAt: timestamptz,
  /** Text of the recipient; null for none. */
  reason: nullable(text),
};
export type EndedShare = RowOf<typeof ENDED_SHARE_ROW>;

const COLUMNS = `e.id, e.owner_uid AS owner, e.initiator_uid AS initiator, e.recipient, e.node_id AS node, e.node_name AS name,
  e.node_kind AS kind, e.permissions, e.created_at AS created, e.ended, e.ended_at AS "endedAt", e.reason`;
const READABLE = `e.ended_at > now() - interval '${ENDED_SHARE_DAYS} days'`;

const FIND = statement({
  name: 'ended_share.find',
  params: { id: int8 },
  row: ENDED_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM ended_share e WHERE e.id = :id AND ${READABLE}`,
});
const LIST = statement({
  name: 'ended_share.list',
  params: { by: nullable(text), after: int8, limit: int8 },
  row: ENDED_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM ended_share e
   WHERE (:by::text IS NULL OR e.owner_uid = :by OR e.initiator_uid = :by) AND e.id > :after AND ${READABLE}
   ORDER BY e.id LIMIT :limit`,
});
const FORGET = statement({
  name: 'ended_share.forget',
  params: { limit: int8 },
  row: { id: int8 },
  sql: `WITH old AS (
     DELETE FROM ended_share WHERE id = ANY (ARRAY(
       SELECT id FROM ended_share WHERE ended_at <= now() - interval '${ENDED_SHARE_DAYS} days' ORDER BY ended_at LIMIT :limit
       FOR UPDATE SKIP LOCKED
     )) RETURNING id, initiator_uid
   ), announced AS (
     DELETE FROM notification t USING old
     WHERE t.uid = old.initiator_uid AND t.app = '${NOTIFYING_APP}' AND t.object_type = '${ENDED_SHARE}' AND t.object_id = old.id::text
   )
   SELECT id FROM old`,
});

/** Shares that their recipients at partners declined or left. */
@Injectable()
export class EndedShareRepository {
  constructor(private readonly database: Database) {}

  async find(id: number): Promise<EndedShare | undefined> {
    return (await this.database.rows(FIND, { id }))[0];
  }

  /** @param by owner or initiator; undefined for all @param after only ids behind this one */
  list(by: string | undefined, after: number, limit: number): Promise<EndedShare[]> {
    return this.database.rows(LIST, { by: by ?? null, after, limit });
  }

  /** Deletes at most `limit` shares that are no longer visible, with their notifications. @returns how many */
  async forget(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { limit })).length;
  }
}
