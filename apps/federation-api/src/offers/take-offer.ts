import { Injectable } from '@nestjs/common';
import { FederationRefused, spellCloudId, type ShareOffer } from '#federation/protocol';
import { AccountDirectory, type Account } from '#identity';
import { ReceivedShareRepository, type NewReceivedShare } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { AcceptUnasked } from './accept-unasked';
import { OfferAdmission } from './offer-admission';
import { assertStorable, expiryOf, permissionsOfOffer } from './offer-limits';
import { offerSubject } from './offer-subject';

/** What an offer that was taken is answered with. */
export interface TakenOffer {
  readonly recipientDisplayName: string;
}

/**
 * Takes a share that a partner offers to one of our users.
 *
 * Nobody is called for it, unless the policy wants to know who offers: who the partner is, is found out when he is
 * told something. The same offer again, by
 * provider id, secret and recipient, changes nothing and gets the same answer, also after the share was decided on or
 * taken back.
 */
@Injectable()
export class TakeOffer {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly admission: OfferAdmission,
    private readonly shares: ReceivedShareRepository,
    private readonly unasked: AcceptUnasked,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param read parses the offer; not called where nothing is taken at all
   * @throws FederationRefused
   */
  async take(read: () => ShareOffer): Promise<TakenOffer> {
    const { federation } = await this.policy.current();
    if (!federation.incoming) throw new FederationRefused('incoming-disabled');
    const offer = read();
    assertStorable(offer);
    const recipient = await this.recipientOf(offer);
    const partner = await this.admission.admit(offer, recipient.uid);
    const id = await this.shares.insert(this.rowOf(offer, recipient, partner.id), offerSubject(offer));
    if (id !== undefined) await this.unasked.accept(id, recipient, partner);
    return { recipientDisplayName: recipient.displayName };
  }

  private async recipientOf({ recipientUid }: ShareOffer): Promise<Account> {
    const account = await this.accounts.find(recipientUid);
    if (!account?.enabled) throw new FederationRefused('recipient-unknown', recipientUid);
    return account;
  }

  private rowOf(offer: ShareOffer, recipient: Account, peerId: number): NewReceivedShare {
    const secret = offer.sharedSecret.reveal();
    return {
      peerId,
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
      },
      // Nothing was asked of the partner yet.
      verified: false,
    };
  }
}
