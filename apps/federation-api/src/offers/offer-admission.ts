import { Injectable } from '@nestjs/common';
import { FederationRefused, peerKeyOf, type ShareOffer } from '#federation/protocol';
import { ContactRepository, PeerRepository, type PeerRow } from '#persistence';
import { CachedPolicy } from '#settings';
import { asksWhoOffers, partnerAccess, partnerNamed } from '#sharing';
import { OfferingPartner } from './offering-partner';

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
   * The partner that offers; one that is refused is not entered.
   * @throws FederationRefused partner-not-allowed, invitation-needed, temporarily-unavailable
   */
  async admit(offer: ShareOffer, recipientUid: string): Promise<PeerRow> {
    const policy = await this.policy.current();
    const hostKey = peerKeyOf(offer.owner);
    const known = await this.peers.find(hostKey);
    const access = partnerAccess(policy, 'incoming', partnerNamed(hostKey, known));
    if (access === 'closed') throw new FederationRefused('partner-not-allowed');
    if (access === 'contacts' && !(known && (await this.isInvited(offer, recipientUid, known))))
      throw new FederationRefused('invitation-needed');
    const peer = known ?? (await this.peers.ensure(hostKey));
    if (asksWhoOffers(policy)) await this.partner.assertKnown(peer);
    return peer;
  }

  /** Who shares and whose it is can be two; a contact at another server says nothing about this one. */
  private isInvited({ owner, sender }: ShareOffer, recipientUid: string, { id }: PeerRow): Promise<boolean> {
    const here = [owner, sender].filter((person) => peerKeyOf(person) === peerKeyOf(owner));
    const names = here.flatMap(({ user, userAsWritten }) => [user, userAsWritten]);
    return this.contacts.knowsOneOf(recipientUid, id, names);
  }
}
