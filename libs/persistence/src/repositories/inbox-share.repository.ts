import type { Queryable } from '../database';
import { statement } from '../statement';
import { ALIVE } from './share-row';

/** One of our shares with a partner's account, as the partner's messages about it need it. */
export interface NotifiedShareRow {
  readonly id: number;
  readonly peerId: number;
  /** HMAC of the shared secret. */
  readonly tokenHmac: Buffer;
  readonly permissions: number;
}

/** A share that is being taken back exists for nobody any more. */
const LOCK = statement<NotifiedShareRow>(
  'inbox_share.lock',
  `SELECT s.id, s.peer_id AS "peerId", s.token_hmac AS "tokenHmac", s.permissions FROM share s
   WHERE s.id = $1 AND s.share_type = 6 AND s.peer_id IS NOT NULL AND s.token_hmac IS NOT NULL
     AND s.delivery_state NOT IN ('revoking', 'revoked') AND ${ALIVE}
   FOR UPDATE OF s`,
);
const ACCEPT = statement(
  'inbox_share.accept',
  `UPDATE share SET acceptance = 'accepted', acceptance_source = 'notification'
   WHERE id = $1 AND acceptance IS DISTINCT FROM 'accepted'`,
);
const LOWER = statement(
  'inbox_share.lower',
  'UPDATE share SET permissions = $2, revision = revision + 1 WHERE id = $1',
);
/** A share that its recipient ended is not told to him: that is what the mark is for when the row goes. */
const MARK = statement(
  'inbox_share.mark_ended',
  `UPDATE share SET acceptance = CASE acceptance WHEN 'accepted' THEN 'left' ELSE 'declined' END, acceptance_source = 'notification'
   WHERE id = $1`,
);
const REMOVE = statement('inbox_share.remove', 'DELETE FROM share WHERE id = $1');

/** Our shares, as far as messages of the partners that received them change them; in one transaction each. */
export class InboxShareRepository {
  constructor(private readonly transaction: Queryable) {}

  /** @param shareId the provider id that the partner knows */
  async lock(shareId: number): Promise<NotifiedShareRow | undefined> {
    return (await this.transaction.rows(LOCK, [shareId]))[0];
  }

  /** The recipient accepted it. */
  async accept(shareId: number): Promise<void> {
    await this.transaction.rows(ACCEPT, [shareId]);
  }

  async changePermissions(shareId: number, permissions: number): Promise<void> {
    await this.transaction.rows(LOWER, [shareId, permissions]);
  }

  /** The recipient declined or left it. */
  async end(shareId: number): Promise<void> {
    await this.transaction.rows(MARK, [shareId]);
    await this.transaction.rows(REMOVE, [shareId]);
  }
}
