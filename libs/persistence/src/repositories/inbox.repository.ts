import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../database';
import { statement } from '../statement';

/** What was answered to a message of a partner. */
export interface InboxReply {
  readonly httpStatus: number;
  readonly reply: unknown;
}

const FIND = statement<InboxReply>(
  'inbox.find',
  'SELECT http_status AS "httpStatus", reply FROM inbox_message WHERE peer_id = $1 AND dedupe_hash = $2',
);
/** Serializes repetitions that arrive at once: the second one waits, and then finds the first one's answer. */
const LOCK = statement(
  'inbox.lock',
  `SELECT pg_advisory_xact_lock(hashtextextended('inbox/' || $1::text || '/' || encode($2::bytea, 'hex'), 0))`,
);
const INSERT = statement(
  'inbox.insert',
  `INSERT INTO inbox_message (peer_id, dedupe_hash, kind, http_status, reply) VALUES ($1, $2, $3, $4, $5)`,
);
const FORGET = statement<{ peer_id: number }>(
  'inbox.forget',
  `DELETE FROM inbox_message WHERE (peer_id, dedupe_hash) IN (
     SELECT peer_id, dedupe_hash FROM inbox_message WHERE received_at < now() - $1::int * interval '1 day'
     ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ) RETURNING peer_id`,
);

/** Messages of partners, so that a repetition changes nothing and gets the first answer. */
@Injectable()
export class InboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Does `work` once per message: in one transaction with the answer that is kept. A message that fails with an
   * error is not kept, and a repetition tries again.
   * @param dedupeHash of everything that makes two messages the same
   * @returns the answer of the first time, and whether this was it
   */
  once(
    message: { readonly peerId: number; readonly dedupeHash: Buffer; readonly kind: string },
    work: (transaction: Queryable) => Promise<InboxReply>,
  ): Promise<InboxReply & { readonly repeated: boolean }> {
    const { peerId, dedupeHash, kind } = message;
    return this.database.transaction(async (transaction) => {
      await transaction.rows(LOCK, [peerId, dedupeHash]);
      const [known] = await transaction.rows(FIND, [peerId, dedupeHash]);
      if (known) return { ...known, repeated: true };
      const answer = await work(transaction);
      const stored = answer.reply === undefined ? null : JSON.stringify(answer.reply);
      await transaction.rows(INSERT, [peerId, dedupeHash, kind, answer.httpStatus, stored]);
      return { ...answer, repeated: false };
    });
  }

  /** Deletes at most `limit` entries older than `days`. @returns how many */
  async forget(days: number, limit: number): Promise<number> {
    return (await this.database.rows(FORGET, [days, limit])).length;
  }
}
