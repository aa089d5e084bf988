import { Injectable } from '@nestjs/common';
import type { MessageState, ShareRequestPayload } from '#federation/exchange';
import { Database } from '../../database';
import { SentShareRequestEntity } from '../../entities/partners/sent-share-request.entity';
import {
  array,
  bool,
  int4,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { statement } from '../../statement';
import { OutboxRepository } from '../deliveries/outbox.repository';

const SENT_REQUEST = {
  id: int8,
  owner: text,
  resource: text,
  createdAt: timestamptz,
  /** State of its message; null if the delivered message was forgotten. */
  state: nullable(textOf<MessageState>()),
  attempts: nullable(int4),
  /** Text of the last failure. */
  error: nullable(text),
};
/** A request for a share, with the state of its delivery. */
export type SentShareRequestRow = RowOf<typeof SENT_REQUEST>;

/** A request for a share, before it is stored. */
export interface NewShareRequest {
  readonly uid: string;
  readonly peerId: number;
  /** Cloud id of the person who gets the request. */
  readonly owner: string;
  readonly resource: string;
}

/** A stored request. `messageId` is null if the account already has the same request. */
export interface AddedShareRequest {
  readonly id: number;
  readonly messageId: number | null;
}

const ADD = statement({
  name: 'sent_share_request.add',
  params: { uid: text, owner: text, resource: text, most: int8 },
  row: { id: int8, isNew: textOf<'yes' | 'no'>() },
  sql: `WITH there AS (SELECT id FROM sent_share_request WHERE uid = :uid AND owner = :owner AND resource = :resource),
     made AS (
       INSERT INTO sent_share_request (uid, owner, resource) SELECT :uid, :owner, :resource
       WHERE NOT EXISTS (SELECT FROM there) AND (SELECT count(*) FROM sent_share_request WHERE uid = :uid) < :most
       ON CONFLICT DO NOTHING RETURNING id
     )
   SELECT id, 'no' AS "isNew" FROM there UNION ALL SELECT id, 'yes' FROM made`,
});
const LIST = statement({
  name: 'sent_share_request.list',
  params: { uid: text, id: nullable(int8) },
  row: SENT_REQUEST,
  sql: `SELECT r.id, r.owner, r.resource, r.created_at AS "createdAt", m.state, m.attempts, m.error_message AS error
   FROM sent_share_request r LEFT JOIN LATERAL (SELECT state, attempts, error_message FROM outbox_message
     WHERE subject_type = 'share-request' AND subject_id = r.id ORDER BY id DESC LIMIT 1) m ON true
   WHERE r.uid = :uid AND (:id::bigint IS NULL OR r.id = :id) ORDER BY r.id DESC`,
});
/** A message that is being sent is kept, because it may arrive. */
const WITHDRAW = statement({
  name: 'sent_share_request.withdraw',
  params: { ids: array(int8) },
  sql: `UPDATE outbox_message SET state = 'superseded', finished_at = now(), lease_until = NULL
   WHERE subject_type = 'share-request' AND subject_id = ANY(:ids::bigint[]) AND state IN ('pending', 'queued')`,
});
/** A request is deleted with its account, but its message is not. Nothing is sent for a disabled account. */
const IS_OPEN = statement({
  name: 'sent_share_request.is_open',
  params: { id: int8 },
  row: { isOpen: bool },
  sql: `SELECT EXISTS (SELECT FROM sent_share_request r JOIN user_account a ON a.uid = r.uid AND a.enabled WHERE r.id = :id) AS "isOpen"`,
});
const FORGET = statement({
  name: 'sent_share_request.forget',
  params: { days: int4, batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM sent_share_request WHERE id = ANY (ARRAY(SELECT id FROM sent_share_request
     WHERE created_at < now() - :days::int * interval '1 day' ORDER BY created_at LIMIT :batch FOR UPDATE SKIP LOCKED)) RETURNING id`,
});

/** Requests of local accounts to people at partners, for shares. */
@Injectable()
export class SentShareRequestRepository {
  private readonly outbox: OutboxRepository;

  constructor(private readonly database: Database) {
    this.outbox = new OutboxRepository(database);
  }

  /** Stores a request with its message. @returns undefined if the account has `most` requests */
  async add(request: NewShareRequest, most: number): Promise<AddedShareRequest | undefined> {
    const { uid, peerId, owner, resource } = request;
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.rows(ADD, { uid, owner, resource, most });
      if (!row) return undefined;
      if (row.isNew === 'no') return { id: row.id, messageId: null };
      const payload: ShareRequestPayload = { owner, requesterUid: uid, resource };
      const messageId = await this.outbox.write(transaction, {
        kind: 'share-request',
        subject: { type: 'share-request', id: row.id },
        ...{ peerId, revision: 1, payload, sealedSecret: null },
      });
      return { id: row.id, messageId: messageId ?? null };
    });
  }

  /** Requests of the account, the latest first. */
  list(uid: string): Promise<SentShareRequestRow[]> {
    return this.database.rows(LIST, { uid, id: null });
  }

  async find(uid: string, id: number): Promise<SentShareRequestRow | undefined> {
    return (await this.database.rows(LIST, { uid, id }))[0];
  }

  /** Removes a request, and its message if that was not sent yet. @returns whether the account had it */
  async remove(uid: string, id: number): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const requests = await transaction.repository(SentShareRequestEntity);
      const removed = await requests.delete({ uid, id });
      if (removed.affected !== 1) return false;
      await transaction.rows(WITHDRAW, { ids: [id] });
      return true;
    });
  }

  /** Whether the request still exists, and its account may ask. */
  async isOpen(id: number): Promise<boolean> {
    return (await this.database.rows(IS_OPEN, { id }))[0]!.isOpen;
  }

  /** Deletes requests that were made this number of days ago. @returns how many, at most `batch` */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, batch })).length;
  }
}
