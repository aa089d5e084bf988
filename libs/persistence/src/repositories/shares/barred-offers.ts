import type { RegardedPartner } from '#sharing';
import type { Database } from '../../database';
import { array, filtered, int8, nullable, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';

const GROUPS_AT_ONCE = 100;
/** Maximum of offers that one transaction ends. */
const OFFERS_AT_ONCE = 500;

const IS_BARRED = `m.state = 'dead' AND m.error_class = 'policy' AND m.subject_type = 'share' AND m.kind = 'share-create'
     AND s.id = m.subject_id AND s.group_share_id IS NOT NULL AND s.delivery_state = 'dead' AND (s.expires_on IS NULL OR s.expires_on >= current_date)`;

const PARTNERS = statement({
  name: 'barred_offer.partners',
  row: {
    id: int8,
    hostKey: text,
    trust: textOf<RegardedPartner['trust']>(),
    outgoingTrust: nullable(textOf<RegardedPartner['trust']>()),
  },
  sql: `SELECT p.id, p.host_key AS "hostKey", host.trust, host.outgoing_trust AS "outgoingTrust" FROM peer p JOIN peer host ON host.id = p.host_id
   WHERE EXISTS (SELECT FROM outbox_message m, share s WHERE m.peer_id = p.id AND ${IS_BARRED})`,
});
const GROUP_SHARES = statement({
  name: 'barred_offer.group_shares',
  params: { peers: array(int8), after: int8, limit: int8 },
  row: { id: filtered(int8) },
  sql: `SELECT DISTINCT s.group_share_id AS id FROM outbox_message m, share s
   WHERE m.peer_id = ANY(:peers::bigint[]) AND ${IS_BARRED} AND s.group_share_id > :after ORDER BY 1 LIMIT :limit`,
});
const LOCK = statement({
  name: 'barred_offer.lock',
  params: { id: int8 },
  row: { id: int8 },
  sql: 'SELECT id FROM share WHERE id = :id FOR NO KEY UPDATE',
});
const END = statement({
  name: 'barred_offer.end',
  params: { id: int8, peers: array(int8), limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE id = ANY (ARRAY(SELECT s.id FROM share s, outbox_message m
     WHERE s.group_share_id = :id AND m.peer_id = ANY(:peers::bigint[]) AND ${IS_BARRED} ORDER BY s.id LIMIT :limit)) RETURNING id`,
});
const OFFER_AGAIN = statement({
  name: 'barred_offer.offer_again',
  params: { id: int8 },
  sql: 'SELECT note_group_share_due(:id, false)',
});

/**
 * Offers to members of groups that were given up because trust or policy closed their partner. No person makes these shares, so no
 * person can make them again.
 */
export class BarredOffers {
  constructor(private readonly database: Database) {}

  /**
   * Ends the shares of members whose partner is open again, and makes new offers with the present facts due.
   * @param isOpen whether shares may be offered to everybody at a partner
   */
  async renew(isOpen: (partner: RegardedPartner) => boolean): Promise<void> {
    const peers = (await this.database.rows(PARTNERS)).filter(isOpen).map(({ id }) => id);
    if (peers.length === 0) return;
    for (let after = 0; ;) {
      const found = await this.database.rows(GROUP_SHARES, { peers, after, limit: GROUPS_AT_ONCE });
      for (const { id } of found) while ((await this.renewFor(id, peers)) === OFFERS_AT_ONCE);
      if (found.length < GROUPS_AT_ONCE) return;
      after = found.at(-1)!.id;
    }
  }

  /** @returns how many shares ended */
  private renewFor(id: number, peers: readonly number[]): Promise<number> {
    return this.database.transaction(async (transaction) => {
      // The share with the group is locked first, as by all code that changes it.
      if ((await transaction.rows(LOCK, { id })).length === 0) return 0;
      const ended = await transaction.rows(END, { id, peers: [...peers], limit: OFFERS_AT_ONCE });
      if (ended.length > 0) await transaction.rows(OFFER_AGAIN, { id });
      return ended.length;
    });
  }
}
