import type { PartnerAccess, RegardedPartner } from '#sharing';
import type { Database } from '../../database';
import { array, filtered, int8, nullable, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';
import { IS_BEHIND_SHARE } from '../partners/contact.repository';

const GROUPS_AT_ONCE = 100;
/** Maximum of offers that one transaction ends. */
const OFFERS_AT_ONCE = 500;

const IS_BARRED = `m.state = 'dead' AND m.error_class = 'policy' AND m.subject_type = 'share' AND m.kind = 'share-create'
     AND s.id = m.subject_id AND s.group_share_id IS NOT NULL AND s.delivery_state = 'dead' AND (s.expires_on IS NULL OR s.expires_on >= current_date)`;

const PEERS = { open: array(int8), forContacts: array(int8) };
const IS_TAKEN = `(m.peer_id = ANY(:open::bigint[])
     OR m.peer_id = ANY(:forContacts::bigint[]) AND EXISTS (SELECT FROM contact c WHERE ${IS_BEHIND_SHARE}))`;

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
  params: { ...PEERS, after: int8, limit: int8 },
  row: { id: filtered(int8) },
  sql: `SELECT DISTINCT s.group_share_id AS id FROM outbox_message m, share s
   WHERE ${IS_BARRED} AND ${IS_TAKEN} AND s.group_share_id > :after ORDER BY 1 LIMIT :limit`,
});
const LOCK = statement({
  name: 'barred_offer.lock',
  params: { id: int8 },
  row: { id: int8 },
  sql: 'SELECT id FROM share WHERE id = :id FOR NO KEY UPDATE',
});
const END = statement({
  name: 'barred_offer.end',
  params: { ...PEERS, id: int8, limit: int8 },
  row: { id: int8 },
  sql: `DELETE FROM share WHERE id = ANY (ARRAY(SELECT s.id FROM share s, outbox_message m
     WHERE s.group_share_id = :id AND ${IS_BARRED} AND ${IS_TAKEN} ORDER BY s.id LIMIT :limit)) RETURNING id`,
});
const OFFER_AGAIN = statement({
  name: 'barred_offer.offer_again',
  params: { id: int8 },
  sql: 'SELECT note_group_share_due(:id, false)',
});

/** Partners, by the members whom an offer reaches now: all of them, or contacts of its maker only. */
type ReachedPeers = Readonly<Record<keyof typeof PEERS, readonly number[]>>;

/**
 * Offers to members of groups that were given up because trust or policy closed their partner to them. No person makes these shares,
 * so no person can make them again.
 */
export class BarredOffers {
  constructor(private readonly database: Database) {}

  /**
   * Ends the shares of members whom an offer reaches now, and makes new offers with the present facts due.
   * @param accessOf the people at a partner who may be offered shares
   */
  async renew(accessOf: (partner: RegardedPartner) => PartnerAccess): Promise<void> {
    const partners = (await this.database.rows(PARTNERS)).map(({ id, ...partner }) => ({
      id,
      access: accessOf(partner),
    }));
    const idsOf = (wanted: PartnerAccess): number[] =>
      partners.filter(({ access }) => access === wanted).map(({ id }) => id);
    const peers = { open: idsOf('open'), forContacts: idsOf('contacts') };
    if (peers.open.length + peers.forContacts.length === 0) return;
    for (let after = 0; ;) {
      const found = await this.database.rows(GROUP_SHARES, { ...peers, after, limit: GROUPS_AT_ONCE });
      for (const { id } of found) while ((await this.renewFor(id, peers)) === OFFERS_AT_ONCE);
      if (found.length < GROUPS_AT_ONCE) return;
      after = found.at(-1)!.id;
    }
  }

  /** @returns how many shares ended */
  private renewFor(id: number, peers: ReachedPeers): Promise<number> {
    return this.database.transaction(async (transaction) => {
      // The share with the group is locked first, as by all code that changes it.
      if ((await transaction.rows(LOCK, { id })).length === 0) return 0;
      const ended = await transaction.rows(END, { ...peers, id, limit: OFFERS_AT_ONCE });
      if (ended.length > 0) await transaction.rows(OFFER_AGAIN, { id });
      return ended.length;
    });
  }
}
