import { Injectable } from '@nestjs/common';
import { FederationRefused, MUST_EXCHANGE, namesOf, peerKeyOf, type ShareOffer } from '#federation/protocol';
import { ContactRepository, PeerRepository, type PeerRow } from '#persistence';
import { actAs } from '#platform';
import { CachedPolicy } from '#settings';
import { asksWhoOffers, partnerAccess, partnerNamed, PLAIN_SESSION, unmetRequirements } from '#sharing';
import type { Proof, Prove } from '../signatures/sender-proof';
import { OfferingPartner } from './offering-partner';

/** The partner that offers a share, and how certain that is. */
export interface AdmittedPartner {
  readonly peer: PeerRow;
  readonly proof: Proof;
}

/** Decides from whom offers are taken. */
@Injectable()
export class OfferAdmission {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly contacts: ContactRepository,
    private readonly partner: OfferingPartner,
  ) {}

  /**
   * The partner that offers, and whether that is proven; one that is refused is not entered.
   * @throws FederationRefused partner-not-allowed, requirement-unsupported, exchange-needed, invitation-needed, temporarily-unavailable, what `prove` throws
   */
  async admit(offer: ShareOffer, recipientUid: string, prove: Prove): Promise<AdmittedPartner> {
    const policy = await this.policy.current();
    const hostKey = peerKeyOf(offer.owner);
    actAs({ kind: 'partner', hostKey });
    const known = await this.peers.find(hostKey);
    const said = known ?? (await this.peers.regarded(hostKey));
    const access = partnerAccess(policy, 'incoming', partnerNamed(hostKey, said));
    if (access === 'closed') throw new FederationRefused('partner-not-allowed');
    const unmet = unmetRequirements(offer.requirements, PLAIN_SESSION);
    if (unmet.length > 0) throw new FederationRefused('requirement-unsupported', unmet.join(', '));
    if (policy.federation.tokenExchange.incoming && !offer.requirements.includes(MUST_EXCHANGE))
      throw new FederationRefused('exchange-needed');
    if (access === 'contacts' && !(known && (await this.isInvited(offer, recipientUid, known))))
      throw new FederationRefused('invitation-needed');
    const proof = await prove(hostKey);
    const peer = known ?? (await this.peers.ensure(hostKey));
    if (proof === 'signed') actAs({ kind: 'partner', peerId: peer.id });
    if (asksWhoOffers(policy)) await this.partner.assertKnown(peer);
    return { peer, proof };
  }

  /** Sender and owner can be two people; a contact at another server says nothing about this one. */
  private isInvited({ owner, sender }: ShareOffer, recipientUid: string, { id }: PeerRow): Promise<boolean> {
    const here = [owner, sender].filter((person) => peerKeyOf(person) === peerKeyOf(owner));
    const names = here.map(namesOf);
    return this.contacts.knowsOneOf(recipientUid, id, {
      users: names.flatMap(({ users }) => users),
      persons: names.flatMap(({ persons }) => persons),
    });
  }
}
