import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../database';
import {
  bool,
  bytea,
  filtered,
  int2,
  int4,
  int8,
  jsonb,
  jsonText,
  nullable,
  type RowOf,
  text,
} from '../../postgres-types';
import { statement } from '../../statement';
import { IS_SHUT, PartnerGateRepository } from '../partners/partner-gate.repository';

/** Our answer to a partner's message. */
const INBOX_REPLY = {
  httpStatus: int2,
  reply: filtered(jsonb<unknown>()),
};
export type InboxReply = RowOf<typeof INBOX_REPLY>;

/** The first answer to a message, and the partner that sent it. */
export interface FirstReply extends InboxReply {
  readonly peerId: number;
}

const FIND = statement({
  name: 'inbox.find',
  params: { dedupeHash: bytea },
  row: INBOX_REPLY,
  sql: 'SELECT http_status AS "httpStatus", reply FROM inbox_message WHERE dedupe_hash = :dedupeHash',
});
/** Serializes simultaneous repetitions: the second one waits, and then finds the first one's answer. */
const LOCK = statement({
  name: 'inbox.lock',
  params: { dedupeHash: bytea },
  sql: `SELECT pg_advisory_xact_lock(hashtextextended('inbox/' || encode(:dedupeHash::bytea, 'hex'), 0))`,
});
const INSERT = statement({
  name: 'inbox.insert',
  params: { peerId: int8, dedupeHash: bytea, kind: text, httpStatus: int2, stored: nullable(jsonText) },
  row: { troubled: bool },
  sql: `INSERT INTO inbox_message (peer_id, dedupe_hash, kind, http_status, reply) VALUES (:peerId, :dedupeHash, :kind, :httpStatus, :stored)
   RETURNING (SELECT ${IS_SHUT} FROM peer p JOIN peer host ON host.id = p.host_id WHERE p.id = :peerId) AS troubled`,
});
const FORGET = statement({
  name: 'inbox.forget',
  params: { days: int4, limit: int8 },
  row: { peer_id: int8 },
  sql: `DELETE FROM inbox_message WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM inbox_message WHERE received_at < now() - :days::int * interval '1 day'
     ORDER BY received_at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING peer_id`,
});

/** Messages of partners. A repetition changes nothing and gets the first answer. A message shows that its partner is there. */
@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Does `work` once per message: in one transaction with the stored answer. A message that fails with an
   * error is not stored, and a repetition tries again.
   * @param message its `dedupeHash` covers everything that identifies the message, including a secret
   * @returns the first answer
   */
  once(
    message: { readonly dedupeHash: Buffer; readonly kind: string },
    work: (transaction: Queryable) => Promise<FirstReply>,
  ): Promise<InboxReply> {
    const { dedupeHash, kind } = message;
    return this.database.transaction(async (transaction) => {
      await transaction.rows(LOCK, { dedupeHash });
      const [known] = await transaction.rows(FIND, { dedupeHash });
      if (known) return known;
      const { peerId, httpStatus, reply } = await work(transaction);
      const stored = reply === undefined ? null : JSON.stringify(reply);
      const [entry] = await transaction.rows(INSERT, { peerId, dedupeHash, kind, httpStatus, stored });
      if (entry?.troubled) await new PartnerGateRepository(transaction).noteSign([peerId]);
      return { httpStatus, reply };
    });
  }

  /** Deletes at most `limit` entries older than `days`. @returns how many */
  async forget(days: number, limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, limit })).length;
  }
}
