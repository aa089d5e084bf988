import { attributesFromText, demands, SECOND_FACTOR, SHARE_TYPES } from '#sharing';
import { DELIVERED_BY_ACCESS, type ShareDemands } from '#federation/exchange';
import { Batching } from '#platform';
import type { Database } from '../../database';
import { array, bool, bytea, int8, nullable, type RowOf, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';
import { NO_OFFER_UNDER_WAY, stopOffering, unheard } from './offer-arrival';
import { STILL_PASSED_ON } from './passed-on-sql';
import type { Trust } from '../partners/peer.repository';
import { aliveAs } from './share-row';

/** One of our shares with another instance, with the facts for that instance's access to the content. */
const PARTNER_SHARE_ROW = {
  shareId: int8,
  initiatorUid: text,
  kind: textOf<'file' | 'folder'>(),
  /** The partner's canonical host; null if it is not known. */
  hostKey: nullable(text),
  /** Whether the secret has to be exchanged for an access token, and opens nothing itself. */
  mustExchange: bool,
  /** JSON text of its attributes; null for none. */
  attributes: nullable(text),
  /** Whether they demand a second factor that the offer did not demand. */
  demandedLater: bool,
  trust: textOf<Trust>(),
  outgoingTrust: nullable(textOf<Trust>()),
  /** Whether the initiator can sign in, and may still pass on what a partner gave them. */
  stillPassedOn: bool,
  /** Whether the node's owner can sign in. */
  ownerEnabled: bool,
  /** Whether it is a public link that was saved at the partner. */
  isSavedLink: bool,
  /** Whether an access proves something new: that the offer arrived, or that it was accepted. */
  accessIsNews: bool,
  /** Whether none of its files has been read yet. */
  isUnread: bool,
};
export type PartnerShareRow = RowOf<typeof PARTNER_SHARE_ROW>;

/** Whether the offer demands a second factor: then the partner's server has promised to demand it. */
export const isOfferedWithSecondFactor = ({
  attributes,
  demandedLater,
}: Pick<PartnerShareRow, 'attributes' | 'demandedLater'>): boolean =>
  !demandedLater && demands(attributesFromText(attributes), SECOND_FACTOR);

const UNHEARD = unheard('share');

// A refused share is not found: its owner was told that the partner has no access.
const BY_TOKEN = statement({
  name: 'partner_share.by_token',
  isShortRead: true,
  params: { tokenHmac: bytea, deliveredByAccess: array(text) },
  row: PARTNER_SHARE_ROW,
  sql: `SELECT l.id AS "shareId", l.initiator_uid AS "initiatorUid", top.kind, p.host_key AS "hostKey",
     l.must_exchange AS "mustExchange", l.attributes, l.demanded_later AS "demandedLater",
     coalesce(host.trust, 'unknown') AS trust, host.outgoing_trust AS "outgoingTrust",
     ${STILL_PASSED_ON} AS "stillPassedOn", o.enabled AS "ownerEnabled", l.link_id IS NOT NULL AS "isSavedLink",
     (l.acceptance = 'unknown' OR ${unheard('l')}) AS "accessIsNews", l.first_read_at IS NULL AS "isUnread"
   FROM share l JOIN node top ON top.id = l.node_id JOIN user_account o ON o.uid = top.owner_uid
   LEFT JOIN peer p ON p.id = l.peer_id LEFT JOIN peer host ON host.id = p.host_id
   WHERE l.token_hmac = :tokenHmac AND l.share_type = ${SHARE_TYPES.federated} AND l.delivery_state NOT IN ('revoking', 'revoked', 'refused')
     AND ${aliveAs('l')}`,
});

// An access while an offer is being delivered proves nothing: some servers read the content before they answer.
const NOTE_ACCESS = statement({
  name: 'partner_share.note_access',
  params: { shareId: int8, deliveredByAccess: array(text) },
  row: { id: int8 },
  sql: `UPDATE share SET
     acceptance = CASE acceptance WHEN 'unknown' THEN 'accepted' ELSE acceptance END,
     acceptance_source = CASE acceptance WHEN 'unknown' THEN 'access' ELSE acceptance_source END,
     doubted_at = NULL,
     delivery_state = CASE WHEN ${UNHEARD} THEN 'delivered' ELSE delivery_state END,
     delivery_next_attempt = CASE WHEN ${UNHEARD} THEN NULL ELSE delivery_next_attempt END,
     delivery_error = CASE WHEN ${UNHEARD} THEN NULL ELSE delivery_error END,
     delivered_at = CASE WHEN ${UNHEARD} THEN now() ELSE delivered_at END
   WHERE id = :shareId AND share_type = ${SHARE_TYPES.federated} AND (acceptance = 'unknown' OR ${UNHEARD})
     AND ${NO_OFFER_UNDER_WAY}
   RETURNING id`,
});

const NOTE_READ = statement({
  name: 'partner_share.note_read',
  params: { shareId: int8 },
  sql: 'UPDATE share SET first_read_at = now() WHERE id = :shareId AND first_read_at IS NULL',
});

const DEMAND_EXCHANGE = statement({
  name: 'partner_share.demand_exchange',
  params: { shareId: int8 },
  sql: `UPDATE share SET must_exchange = true WHERE id = :shareId AND share_type = ${SHARE_TYPES.federated} AND NOT must_exchange`,
});
const DEMANDS = statement({
  name: 'partner_share.demands',
  plannedOnce: true,
  params: { shareIds: array(int8) },
  row: { id: int8, mustExchange: bool, attributes: nullable(text), demandedLater: bool },
  sql: `SELECT id, must_exchange AS "mustExchange", attributes, demanded_later AS "demandedLater" FROM share
   WHERE id = ANY (:shareIds::bigint[]) AND share_type = ${SHARE_TYPES.federated}`,
});

const SHARES_AT_ONCE = 200;

/** Our shares, as the servers of their recipients read them. */
export class PartnerShareRepository {
  private readonly demands: Batching<number, ShareDemands>;

  constructor(private readonly database: Database) {
    this.demands = new Batching((shareIds) => this.demandsOfAll(shareIds), SHARES_AT_ONCE);
  }

  /**
   * @param tokenHmac lookup key of the shared secret
   * @returns undefined if there is no such share, or it has ended
   */
  async find(tokenHmac: Buffer): Promise<PartnerShareRow | undefined> {
    return (await this.database.rows(BY_TOKEN, { tokenHmac, deliveredByAccess: DELIVERED_BY_ACCESS }))[0];
  }

  /** From now on the secret itself opens nothing. Called before the partner is told, and cannot be undone. */
  async demandExchange(shareId: number): Promise<void> {
    await this.database.rows(DEMAND_EXCHANGE, { shareId });
  }

  /** Demands that were sent to the partner, or may have been. */
  demandsOf(shareId: number): Promise<ShareDemands> {
    return this.demands.submit(shareId);
  }

  /** Notes that one of its files was read. */
  async noteRead(shareId: number): Promise<void> {
    await this.database.rows(NOTE_READ, { shareId });
  }

  /** Notes that its server reads it: the offer has arrived, and the recipient has accepted. A repetition changes nothing. */
  async noteAccess(shareId: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const noted = await transaction.rows(NOTE_ACCESS, { shareId, deliveredByAccess: DELIVERED_BY_ACCESS });
      await stopOffering(
        transaction,
        noted.map(({ id }) => id),
      );
    });
  }

  private async demandsOfAll(shareIds: readonly number[]): Promise<ShareDemands[]> {
    const shares = await this.database.rows(DEMANDS, { shareIds: [...new Set(shareIds)] });
    const byId = new Map(shares.map((share) => [share.id, share]));
    return shareIds.map((id) => {
      const share = byId.get(id);
      return {
        exchange: share?.mustExchange ?? false,
        secondFactor: share !== undefined && isOfferedWithSecondFactor(share),
      };
    });
  }
}
