import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { statement } from '../../statement';

/** Days for which a share that its recipient ended stays readable. */
export const ENDED_SHARE_DAYS = 30;

/** Object type of the notification about a share that its recipient ended. */
export const ENDED_SHARE = 'ended_share';

/** A share with somebody at a partner that they declined or left. */
export interface EndedShare {
  readonly id: number;
  readonly owner: string;
  readonly initiator: string;
  /** Federated cloud id as it was given. */
  readonly recipient: string;
  readonly node: number;
  /** Name of the node when the share ended. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
  readonly permissions: number;
  readonly created: Date;
  readonly ended: 'declined' | 'left';
  readonly endedAt: Date;
}

const COLUMNS = `e.id, e.owner_uid AS owner, e.initiator_uid AS initiator, e.recipient, e.node_id AS node, e.node_name AS name,
  e.node_kind AS kind, e.permissions, e.created_at AS created, e.ended, e.ended_at AS "endedAt"`;
const READABLE = `e.ended_at > now() - interval '${ENDED_SHARE_DAYS} days'`;

const FIND = statement<EndedShare>(
  'ended_share.find',
  `SELECT ${COLUMNS} FROM ended_share e WHERE e.id = $1 AND ${READABLE}`,
);
const LIST = statement<EndedShare>(
  'ended_share.list',
  `SELECT ${COLUMNS} FROM ended_share e
   WHERE ($1::text IS NULL OR e.owner_uid = $1 OR e.initiator_uid = $1) AND e.id > $2 AND ${READABLE}
   ORDER BY e.id LIMIT $3`,
);
const FORGET = statement<{ id: number }>(
  'ended_share.forget',
  `WITH old AS (
     DELETE FROM ended_share WHERE id IN (
       SELECT id FROM ended_share WHERE ended_at <= now() - interval '${ENDED_SHARE_DAYS} days' ORDER BY ended_at LIMIT $1
       FOR UPDATE SKIP LOCKED
     ) RETURNING id, initiator_uid
   ), told AS (
     DELETE FROM notification t USING old
     WHERE t.uid = old.initiator_uid AND t.app = 'files_sharing' AND t.object_type = '${ENDED_SHARE}' AND t.object_id = old.id::text
   )
   SELECT id FROM old`,
);

/** Shares that their recipients at partners declined or left. */
@Injectable()
export class EndedShareRepository {
  constructor(private readonly database: Database) {}

  async find(id: number): Promise<EndedShare | undefined> {
    return (await this.database.rows(FIND, [id]))[0];
  }

  /** @param by owner or initiator; undefined for all @param after only ids beyond this one */
  list(by: string | undefined, after: number, limit: number): Promise<EndedShare[]> {
    return this.database.rows(LIST, [by ?? null, after, limit]);
  }

  /** Deletes at most `limit` shares that are not readable any more, with what was said of them. @returns how many */
  async forget(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, [limit])).length;
  }
}
