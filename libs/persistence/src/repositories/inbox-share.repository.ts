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
const LOWER = statement('inbox_share.lower', 'UPDATE share SET permissions = $2, revision = revision + 1 WHERE id = $1');
/** Nobody is left to be told of it. */
const REMOVE = statement(
  'inbox_share.remove',
  `WITH pointless AS (
     UPDATE outbox_message SET state = 'superseded', finished_at = now(), lease_until = NULL
     WHERE subject_type = 'share' AND subject_id = $1 AND state IN ('pending', 'queued')
   )
   DELETE FROM share WHERE id = $1`,
);

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

  /** The recipient does not have it any more. */
  async remove(shareId: number): Promise<void> {
    await this.transaction.rows(REMOVE, [shareId]);
  }
}
