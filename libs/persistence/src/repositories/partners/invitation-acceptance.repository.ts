import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../database';
import { decision, statement } from '../../statement';
import type { ContactRow } from './contact.repository';

/** An invitation of a partner that its server is to be told is accepted. */
export interface WaitingAcceptance {
  readonly id: number;
  readonly uid: string;
  readonly peerId: number;
  readonly sealedToken: Buffer;
}

/** Result of an acceptance. */
export interface SettledAcceptance {
  readonly state: 'accepted' | 'refused';
  /** A word for why it was refused. */
  readonly reason: string;
  readonly contact: ContactRow | null;
}

interface SettledRow extends ContactRow {
  readonly state: 'accepted' | 'refused';
  readonly reason: string;
  readonly contactId: number | null;
}

const INSERT = statement<{ id: number }>(
  'invitation_acceptance.insert',
  'INSERT INTO invitation_acceptance (uid, peer_id, sealed_token) VALUES ($1, $2, $3) RETURNING id',
);
const WAITING = statement<WaitingAcceptance>(
  'invitation_acceptance.waiting',
  `SELECT id, uid, peer_id AS "peerId", sealed_token AS "sealedToken" FROM invitation_acceptance
   WHERE id = $1 AND state = 'waiting'`,
);
const LEFT_WAITING = statement<{ id: number }>(
  'invitation_acceptance.left_waiting',
  `SELECT id FROM invitation_acceptance
   WHERE state = 'waiting' AND created_at < now() - $1::int * interval '1 second' ORDER BY created_at LIMIT $2`,
);
const SETTLE = decision<{ id: number }>(
  'invitation_acceptance.settle',
  (acting) => `UPDATE invitation_acceptance SET state = $2, reason = $3, contact_id = $4, sealed_token = NULL
   WHERE id = $1 AND state = 'waiting' AND ${acting} RETURNING id`,
);
const SETTLED = statement<SettledRow>(
  'invitation_acceptance.settled',
  `SELECT a.state, a.reason, c.id AS "contactId", c.id, p.host_key AS "hostKey", c.remote_user AS "remoteUser",
     c.display_name AS "displayName", c.email, c.created_at AS "createdAt"
   FROM invitation_acceptance a JOIN peer p ON p.id = a.peer_id LEFT JOIN contact c ON c.id = a.contact_id
   WHERE a.id = $1 AND a.state <> 'waiting'`,
);
const FORGET = statement<{ id: number }>(
  'invitation_acceptance.forget',
  `DELETE FROM invitation_acceptance WHERE id IN (SELECT id FROM invitation_acceptance
     WHERE created_at < now() - $1::int * interval '1 day' LIMIT $2) RETURNING id`,
);

/** Invitations of partners on their way to being accepted. A change is announced on topic `invitation` with the id. */
@Injectable()
export class InvitationAcceptanceRepository {
  constructor(private readonly database: Database) {}

  /** @returns the id by which a worker finds it */
  async insert(uid: string, peerId: number, sealedToken: Buffer): Promise<number> {
    return (await this.database.rows(INSERT, [uid, peerId, sealedToken]))[0]!.id;
  }

  /** undefined where it is settled already. */
  async waiting(id: number): Promise<WaitingAcceptance | undefined> {
    return (await this.database.rows(WAITING, [id]))[0];
  }

  /** Ids of those that have waited for so many seconds, `most` at most: a queue may have lost their jobs. */
  async leftWaiting(seconds: number, most: number): Promise<number[]> {
    return (await this.database.rows(LEFT_WAITING, [seconds, most])).map(({ id }) => id);
  }

  /** The token is forgotten. @param contactId null where it was refused, for `reason` */
  async settle(transaction: Queryable, id: number, contactId: number | null, reason: string): Promise<void> {
    await transaction.rows(SETTLE, [id, contactId === null ? 'refused' : 'accepted', reason, contactId]);
  }

  /** undefined while it waits. */
  async settled(id: number): Promise<SettledAcceptance | undefined> {
    const [row] = await this.database.rows(SETTLED, [id]);
    if (!row) return undefined;
    const { state, reason, contactId, ...contact } = row;
    return { state, reason, contact: contactId === null ? null : contact };
  }

  /** Forgets what is so many days old, with a token that nobody took. @returns how many, `batch` at most */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, [days, batch])).length;
  }
}
