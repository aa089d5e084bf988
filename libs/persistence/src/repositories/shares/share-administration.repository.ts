import type { Database } from '../../database';
import { decision, statement } from '../../statement';

/** A share as operators see it, expired or not. */
export interface AdministeredShare {
  readonly id: number;
  readonly type: number;
  readonly path: string;
  readonly owner: string;
  readonly initiator: string;
  readonly recipient: string | null;
  readonly permissions: number;
  readonly created: Date;
  /** Day `YYYY-MM-DD`; null for none. */
  readonly expires: string | null;
}

const COLUMNS = `s.id, s.share_type AS type, n.path, s.owner_uid AS owner, s.initiator_uid AS initiator, s.recipient,
  s.permissions, s.created_at AS created, s.expires_on AS expires`;

const LIST = statement<AdministeredShare>(
  'share_administration.list',
  `SELECT ${COLUMNS} FROM share s JOIN node n ON n.id = s.node_id
   WHERE ($1::text IS NULL OR s.owner_uid = $1 OR s.initiator_uid = $1) AND ($2::text IS NULL OR s.recipient_canonical = $2)
     AND ($3::smallint IS NULL OR s.share_type = $3) AND s.id > $4
   ORDER BY s.id LIMIT $5`,
);
const FIND = statement<AdministeredShare>(
  'share_administration.find',
  `SELECT ${COLUMNS} FROM share s JOIN node n ON n.id = s.node_id WHERE s.id = $1`,
);
const EXPIRE = decision<{ id: number }>(
  'share_administration.expire',
  (acting) => `UPDATE share SET expires_on = current_date - 1 WHERE id = $1 AND ${acting} RETURNING id`,
);
const REMOVE = decision<{ id: number }>(
  'share_administration.remove',
  (acting) => `DELETE FROM share WHERE id = $1 AND ${acting} RETURNING id`,
);

export interface AdministeredSharesFilter {
  /** Owner or initiator. */
  readonly by?: string;
  readonly recipient?: string;
  readonly type?: number;
  /** Only ids beyond this one. */
  readonly after: number;
  readonly limit: number;
}

/** Shares for operators, whoever they belong to. */
export class ShareAdministrationRepository {
  constructor(private readonly database: Database) {}

  list(filter: AdministeredSharesFilter): Promise<AdministeredShare[]> {
    const { by, recipient, type, after, limit } = filter;
    return this.database.rows(LIST, [by ?? null, recipient ?? null, type ?? null, after, limit]);
  }

  async find(id: number): Promise<AdministeredShare | undefined> {
    return (await this.database.rows(FIND, [id]))[0];
  }

  /** Puts the expiry into the past: the share is over at once. @returns whether it was there */
  async expire(id: number): Promise<boolean> {
    return (await this.database.rows(EXPIRE, [id])).length > 0;
  }

  /** @returns whether it was there */
  async remove(id: number): Promise<boolean> {
    return (await this.database.rows(REMOVE, [id])).length > 0;
  }
}
