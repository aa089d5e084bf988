import { Injectable } from '@nestjs/common';
import { FederationRefused, spellCloudId, type ShareOffer } from '#federation/protocol';
import { AccountDirectory, type Account } from '#identity';
import { ReceivedShareRepository, type NewReceivedShare } from '#persistence';
import { inSpan, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { AwaitedOffers, AutoAcceptance } from '#storage';
import type { Prove } from '../signatures/sender-proof';
import { OfferAdmission, type AdmittedPartner } from './offer-admission';
import { assertStorable, expiryOf, permissionsOfOffer } from './offer-limits';
import { offerSubject } from './offer-subject';

/** Answer to an offer that was taken. */
export interface TakenOffer {
  readonly recipientDisplayName: string;
}

/**
 * Takes a share that a partner offers to one of our users. No server is called for it, unless the policy wants to know
 * the sender: the partner is discovered when a message goes to it. A recipient with too many undecided offers gets no
 * more until then. The same offer again, by provider id, secret and recipient, changes nothing and gets the same
 * answer, also after the share was decided on or taken back.
 */
@Injectable()
export class TakeOffer {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly admission: OfferAdmission,
    private readonly shares: ReceivedShareRepository,
    private readonly autoAcceptance: AutoAcceptance,
    private readonly awaited: AwaitedOffers,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param read parses the offer; not called where nothing is taken at all
   * @param prove finds out whether it is of its owner's server
   * @throws FederationRefused
   */
  take(read: () => ShareOffer, prove: Prove): Promise<TakenOffer> {
    return inSpan('take offer', { kind: 'internal' }, () => this.takeAllowed(read, prove));
  }

  private async takeAllowed(read: () => ShareOffer, prove: Prove): Promise<TakenOffer> {
    const { federation } = await this.policy.current();
    if (!federation.incoming) throw new FederationRefused('incoming-disabled');
    const offer = read();
    assertStorable(offer);
    const recipient = await this.recipientOf(offer);
    const partner = await this.admission.admit(offer, recipient.uid, prove);
    const id = await this.shares.insert(this.rowOf(offer, recipient, partner), offerSubject(offer));
    if (id === 'no-room') throw new FederationRefused('temporarily-unavailable');
    // It may have turned out meanwhile that its server signs.
    if (partner.proof === 'unknown') await this.shares.withdrawUnsigned(partner.peer.id);
    if (id !== 'known' && partner.proof === 'signed')
      await this.autoAcceptance.accept({
        receivedShareId: id,
        recipientUid: recipient.uid,
        peerId: partner.peer.id,
      });
    await this.awaited.accept(recipient.uid, partner.peer.id);
    return { recipientDisplayName: recipient.displayName };
  }

  private async recipientOf({ recipientUid }: ShareOffer): Promise<Account> {
    const account = await this.accounts.find(recipientUid);
    if (!account?.enabled) throw new FederationRefused('recipient-unknown', recipientUid);
    return account;
  }

  private rowOf(offer: ShareOffer, recipient: Account, { peer, proof }: AdmittedPartner): NewReceivedShare {
    const secret = offer.sharedSecret.reveal();
    return {
      peerId: peer.id,
      providerId: offer.providerId,
      tokenHmac: this.secrets.lookup(secret),
      tokenEnc: this.secrets.seal(secret),
      recipientUid: recipient.uid,
      owner: spellCloudId(offer.owner, 'as-written'),
      ownerDisplayName: offer.ownerDisplayName,
      sender: spellCloudId(offer.sender, 'as-written'),
      senderDisplayName: offer.senderDisplayName,
      name: offer.name,
      description: offer.description,
      kind: offer.kind === 'unknown' ? null : offer.kind,
      permissions: permissionsOfOffer(offer),
      expiresAt: expiryOf(offer),
      dialect: offer.dialect,
      access: {
        webdavUri: offer.webdavUri,
        requirements: offer.requirements,
        permissionsStated: offer.permissions !== null,
        ...(proof === 'unknown' && { senderUnknown: true }),
      },
      verified: proof === 'signed',
    };
  }
}
