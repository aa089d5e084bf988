import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bool, bytea, int8, nullable, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';

/** A partner that may have sent a notice. */
const NOTICE_PARTNER = {
  peerId: int8,
  hostKey: text,
};
export type NoticePartnerRow = RowOf<typeof NOTICE_PARTNER>;

/** Includes ended shares, whose repeated notices are answered elsewhere. */
const OF_OURS = statement({
  name: 'notice_partner.of_ours',
  params: { shareId: int8, tokenHmac: nullable(bytea), isRequester: bool },
  row: NOTICE_PARTNER,
  sql: `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM share s
   JOIN peer p ON p.id = CASE WHEN :isRequester::boolean THEN coalesce(s.requester_peer_id, s.peer_id) ELSE s.peer_id END
   WHERE s.id = :shareId AND s.share_type = ${SHARE_TYPES.federated} AND (:tokenHmac::bytea IS NULL OR coalesce(s.granted_token_hmac, s.token_hmac) = :tokenHmac)`,
});
/** Of shares with the same id and secret, the latest offer counts. */
const OF_RECEIVED = statement({
  name: 'notice_partner.of_received',
  params: { providerId: text, tokenHmac: bytea },
  row: NOTICE_PARTNER,
  sql: `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM received_share r JOIN peer p ON p.id = r.peer_id
   WHERE r.provider_id = :providerId AND r.token_hmac = :tokenHmac GROUP BY p.id ORDER BY min(r.id) LIMIT 8`,
});

/** Many servers use numbers as ids: the signature decides whose share it is. */
const OF_RECEIVED_WITHOUT_SECRET = statement({
  name: 'notice_partner.of_received_without_secret',
  params: { providerId: text },
  row: NOTICE_PARTNER,
  sql: `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM received_share r JOIN peer p ON p.id = r.peer_id
   WHERE r.provider_id = :providerId GROUP BY p.id ORDER BY p.id LIMIT 64`,
});

/** Finds the partner of a notice by the id of its share, and by the secret if the notice contains one. */
@Injectable()
export class NoticePartnerRepository {
  constructor(private readonly database: Database) {}

  /** @param side `requester`: the server that requested the share, if its recipient is at a third server; otherwise as `recipient` */
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
