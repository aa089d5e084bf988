import { SHARE_TYPES } from '#sharing';
import type { Database } from '../../database';
import { date, int2, int8, nullable, type RowOf, text, timestamptz } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { actingText } from '../../acting-text';
import { spelledUid } from '../accounts/spelled-uid';

/** A share, as operators see it, expired or not. */
const ADMINISTERED_SHARE = {
  id: int8,
  type: int2,
  path: text,
  owner: text,
  initiator: text,
  recipient: nullable(text),
  permissions: int2,
  created: timestamptz,
  /** Day `YYYY-MM-DD`; null for none. */
  expires: nullable(date),
};
export type AdministeredShare = RowOf<typeof ADMINISTERED_SHARE>;

const COLUMNS = `s.id, s.share_type AS type, n.path, s.owner_uid AS owner, s.initiator_uid AS initiator, s.recipient,
  s.permissions, s.created_at AS created, s.expires_on AS expires`;

const LIST = statement({
  name: 'share_administration.list',
  params: { by: nullable(text), recipient: nullable(text), type: nullable(int2), after: int8, limit: int8 },
  row: ADMINISTERED_SHARE,
  sql: `SELECT ${COLUMNS} FROM share s JOIN node n ON n.id = s.node_id
   WHERE (:by::text IS NULL OR s.owner_uid = :by OR s.initiator_uid = :by) AND (:recipient::text IS NULL OR s.recipient_canonical = :recipient
       OR s.share_type = ${SHARE_TYPES.user} AND s.recipient_canonical = ${spelledUid(':recipient')})
     AND (:type::smallint IS NULL OR s.share_type = :type) AND s.id > :after
   ORDER BY s.id LIMIT :limit`,
});
const FIND = statement({
  name: 'share_administration.find',
  params: { id: int8 },
  row: ADMINISTERED_SHARE,
  sql: `SELECT ${COLUMNS} FROM share s JOIN node n ON n.id = s.node_id WHERE s.id = :id`,
});
const EXPIRE = statement({
  name: 'share_administration.expire',
  params: { id: int8, acting: text },
  row: { id: int8 },
  sql: `UPDATE share SET expires_on = current_date - 1 WHERE id = :id AND ${ACTING} RETURNING id`,
});
const REMOVE = statement({
  name: 'share_administration.remove',
  params: { id: int8, acting: text },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE id = :id AND ${ACTING} RETURNING id`,
});

export interface AdministeredSharesFilter {
  /** Owner or initiator. */
  readonly by?: string;
  /** A user id in any letter case, a group id or a cloud id. */
  readonly recipient?: string;
  readonly type?: number;
  /** Only ids behind this one. */
  readonly after: number;
  readonly limit: number;
}

/** Shares of all owners, for operators. */
export class ShareAdministrationRepository {
  constructor(private readonly database: Database) {}

  list(filter: AdministeredSharesFilter): Promise<AdministeredShare[]> {
    const { by, recipient, type, after, limit } = filter;
    return this.database.rows(LIST, {
      by: by ?? null,
      recipient: recipient ?? null,
      type: type ?? null,
      after,
      limit,
    });
  }

  async find(id: number): Promise<AdministeredShare | undefined> {
    return (await this.database.rows(FIND, { id }))[0];
  }

  /** Sets the expiry into the past, so that the share ends at once. @returns whether it existed */
  async expire(id: number): Promise<boolean> {
    return (await this.database.rows(EXPIRE, { id, acting: actingText() })).length > 0;
  }

  /** @returns whether it existed */
  async remove(id: number): Promise<boolean> {
    return (await this.database.rows(REMOVE, { id, acting: actingText() })).length > 0;
  }
}
