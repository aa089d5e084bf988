import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bool, bytea, int8, nullable, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';

/** A partner that a notice can be of. */
const NOTICE_PARTNER = {
  peerId: int8,
  hostKey: text,
};
export type NoticePartnerRow = RowOf<typeof NOTICE_PARTNER>;

/** Ended shares too: their repetitions are answered elsewhere. */
const OF_OURS = statement({
  name: 'notice_partner.of_ours',
  params: { shareId: int8, tokenHmac: nullable(bytea), isRequester: bool },
  row: NOTICE_PARTNER,
  sql: `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM share s
   JOIN peer p ON p.id = CASE WHEN :isRequester::boolean THEN coalesce(s.requester_peer_id, s.peer_id) ELSE s.peer_id END
   WHERE s.id = :shareId AND s.share_type = ${SHARE_TYPES.federated} AND (:tokenHmac::bytea IS NULL OR coalesce(s.granted_token_hmac, s.token_hmac) = :tokenHmac)`,
});
/** A share with a repeated id and secret was offered later. */
const OF_RECEIVED = statement({
  name: 'notice_partner.of_received',
  params: { providerId: text, tokenHmac: bytea },
  row: NOTICE_PARTNER,
  sql: `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM received_share r JOIN peer p ON p.id = r.peer_id
   WHERE r.provider_id = :providerId AND r.token_hmac = :tokenHmac GROUP BY p.id ORDER BY min(r.id) LIMIT 8`,
});

/** Numbers are ids with many servers: the signature says whose share it is. */
const OF_RECEIVED_WITHOUT_SECRET = statement({
  name: 'notice_partner.of_received_without_secret',
  params: { providerId: text },
  row: NOTICE_PARTNER,
  sql: `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM received_share r JOIN peer p ON p.id = r.peer_id
   WHERE r.provider_id = :providerId GROUP BY p.id ORDER BY p.id LIMIT 64`,
});

/** Finds the partner of a notice by the id of its share, and the secret if it brings one. */
@Injectable()
export class NoticePartnerRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param side `requester`: the server that asked for it, where its recipient is at a third partner; else as `recipient`
   */
  ofOurs(
    shareId: number,
    tokenHmac: Buffer | null,
    side: 'recipient' | 'requester',
  ): Promise<NoticePartnerRow[]> {
    return this.database.rows(OF_OURS, { shareId, tokenHmac, isRequester: side === 'requester' });
  }

  ofReceived(providerId: string, tokenHmac: Buffer | null): Promise<NoticePartnerRow[]> {
    if (tokenHmac === null) return this.database.rows(OF_RECEIVED_WITHOUT_SECRET, { providerId });
    return this.database.rows(OF_RECEIVED, { providerId, tokenHmac });
  }
}
