import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database, type Queryable } from '../../database';
import { bytea, filtered, int4, int8, nullable, type RowOf, text, textOf } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { CONTACT_ROW, type ContactRow } from './contact.repository';

/** An invitation of a partner that its server is to be told is accepted. */
const WAITING_ACCEPTANCE = {
  id: int8,
  uid: text,
  peerId: int8,
  sealedToken: filtered(bytea),
};
export type WaitingAcceptance = RowOf<typeof WAITING_ACCEPTANCE>;

/** Result of an acceptance. */
export interface SettledAcceptance {
  readonly state: 'accepted' | 'refused';
  /** A word for why it was refused. */
  readonly reason: string;
  readonly contact: ContactRow | null;
}

const SETTLED_ROW = {
  ...CONTACT_ROW,
  state: textOf<'accepted' | 'refused'>(),
  reason: text,
  contactId: nullable(int8),
};

const INSERT = statement({
  name: 'invitation_acceptance.insert',
  params: { uid: text, peerId: int8, sealedToken: bytea },
  row: { id: int8 },
  sql: 'INSERT INTO invitation_acceptance (uid, peer_id, sealed_token) VALUES (:uid, :peerId, :sealedToken) RETURNING id',
});
const WAITING = statement({
  name: 'invitation_acceptance.waiting',
  params: { id: int8 },
  row: WAITING_ACCEPTANCE,
  sql: `SELECT id, uid, peer_id AS "peerId", sealed_token AS "sealedToken" FROM invitation_acceptance
   WHERE id = :id AND state = 'waiting'`,
});
const LEFT_WAITING = statement({
  name: 'invitation_acceptance.left_waiting',
  params: { seconds: int4, most: int8 },
  row: { id: int8 },
  sql: `SELECT id FROM invitation_acceptance
   WHERE state = 'waiting' AND created_at < now() - :seconds::int * interval '1 second' ORDER BY created_at LIMIT :most`,
});
const SETTLE = statement({
  name: 'invitation_acceptance.settle',
  params: { id: int8, state: text, reason: text, contactId: nullable(int8), acting: text },
  row: { id: int8 },
  sql: `UPDATE invitation_acceptance SET state = :state, reason = :reason, contact_id = :contactId, sealed_token = NULL
   WHERE id = :id AND state = 'waiting' AND ${ACTING} RETURNING id`,
});
const SETTLED = statement({
  name: 'invitation_acceptance.settled',
  params: { id: int8 },
  row: SETTLED_ROW,
  sql: `SELECT a.state, a.reason, c.id AS "contactId", c.id, p.host_key AS "hostKey", c.remote_user AS "remoteUser",
     c.display_name AS "displayName", c.email, c.created_at AS "createdAt"
   FROM invitation_acceptance a JOIN peer p ON p.id = a.peer_id LEFT JOIN contact c ON c.id = a.contact_id
   WHERE a.id = :id AND a.state <> 'waiting'`,
});
const FORGET = statement({
  name: 'invitation_acceptance.forget',
  params: { days: int4, batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM invitation_acceptance WHERE id IN (SELECT id FROM invitation_acceptance
     WHERE created_at < now() - :days::int * interval '1 day' LIMIT :batch) RETURNING id`,
});

/** Invitations of partners on their way to being accepted. A change is announced on topic `invitation` with the id. */
@Injectable()
export class InvitationAcceptanceRepository {
  constructor(private readonly database: Database) {}

  /** @returns the id by which a worker finds it */
  async insert(uid: string, peerId: number, sealedToken: Buffer): Promise<number> {
    return (await this.database.rows(INSERT, { uid, peerId, sealedToken }))[0]!.id;
  }

  /** undefined where it is settled already. */
  async waiting(id: number): Promise<WaitingAcceptance | undefined> {
    return (await this.database.rows(WAITING, { id }))[0];
  }

  /** Ids of those that have waited for so many seconds, `most` at most: a queue may have lost their jobs. */
  async leftWaiting(seconds: number, most: number): Promise<number[]> {
    return (await this.database.rows(LEFT_WAITING, { seconds, most })).map(({ id }) => id);
  }

  /** The token is forgotten. @param contactId null where it was refused, for `reason` */
  async settle(transaction: Queryable, id: number, contactId: number | null, reason: string): Promise<void> {
    await transaction.rows(SETTLE, {
      id,
      state: contactId === null ? 'refused' : 'accepted',
      reason,
      contactId,
      acting: actingText(),
    });
  }

  /** undefined while it waits. */
  async settled(id: number): Promise<SettledAcceptance | undefined> {
    const [row] = await this.database.rows(SETTLED, { id });
    if (!row) return undefined;
    const { state, reason, contactId, ...contact } = row;
    return { state, reason, contact: contactId === null ? null : contact };
  }

  /** Forgets what is so many days old, with a token that nobody took. @returns how many, `batch` at most */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, batch })).length;
  }
}
