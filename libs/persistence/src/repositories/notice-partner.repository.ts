import { Injectable } from '@nestjs/common';
import { Database } from '../database';
import { statement } from '../statement';

/** A partner that a notice can be of. */
export interface NoticePartner {
  readonly peerId: number;
  readonly hostKey: string;
}

/** Ended shares too: what a repetition of an end is answered with is decided elsewhere. */
const OF_OURS = statement<NoticePartner>(
  'notice_partner.of_ours',
  `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM share s
   JOIN peer p ON p.id = CASE WHEN $3::boolean THEN coalesce(s.requester_peer_id, s.peer_id) ELSE s.peer_id END
   WHERE s.id = $1 AND s.share_type = 6 AND coalesce(s.granted_token_hmac, s.token_hmac) = $2`,
);
/** Whoever repeats the id and secret of another's share offered it later. */
const OF_RECEIVED = statement<NoticePartner>(
  'notice_partner.of_received',
  `SELECT p.id AS "peerId", p.host_key AS "hostKey" FROM received_share r JOIN peer p ON p.id = r.peer_id
   WHERE r.provider_id = $1 AND r.token_hmac = $2 GROUP BY p.id ORDER BY min(r.id) LIMIT 8`,
);

/** Of which partner a notice is that brings the id and secret of a share. */
@Injectable()
export class NoticePartnerRepository {
  constructor(private readonly database: Database) {}

  /** @param side `asker`: who asked for it, where somebody of a third partner has it; else as `recipient` */
  ofOurs(shareId: number, tokenHmac: Buffer, side: 'recipient' | 'asker'): Promise<NoticePartner[]> {
    return this.database.rows(OF_OURS, [shareId, tokenHmac, side === 'asker']);
  }

  ofReceived(providerId: string, tokenHmac: Buffer): Promise<NoticePartner[]> {
    return this.database.rows(OF_RECEIVED, [providerId, tokenHmac]);
  }
}
