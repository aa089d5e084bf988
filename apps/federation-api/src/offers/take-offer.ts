import { Injectable } from '@nestjs/common';
import { FederationRefused, peerKeyOf, spellCloudId, type ShareOffer } from '#federation/protocol';
import { AccountDirectory, type Account } from '#identity';
import { PeerRepository, ReceivedShareRepository, type NewReceivedShare } from '#persistence';
import { SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { mayFederateWith } from '#sharing';
import { assertStorable, expiryOf, permissionsOfOffer } from './offer-limits';
import { offerSubject } from './offer-subject';

/** What an offer that was taken is answered with. */
export interface TakenOffer {
  readonly recipientDisplayName: string;
}

/**
 * Takes a share that a partner offers to one of our users.
 *
 * Nobody is called for it: who the partner is, is found out when he is told something. The same offer again, by
 * provider id, secret and recipient, changes nothing and gets the same answer, also after the share was decided on or
 * taken back.
 */
@Injectable()
export class TakeOffer {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly peers: PeerRepository,
    private readonly shares: ReceivedShareRepository,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param read parses the offer; not called where nothing is taken at all
   * @throws FederationRefused
   */
  async take(read: () => ShareOffer): Promise<TakenOffer> {
    const policy = await this.policy.current();
    if (!policy.federation.incoming) throw new FederationRefused('incoming-disabled');
    const offer = read();
    assertStorable(offer);
    const recipient = await this.recipientOf(offer);
    const hostKey = peerKeyOf(offer.owner);
    if (!mayFederateWith(policy, hostKey)) throw new FederationRefused('partner-not-allowed');
    const peer = await this.peers.ensure(hostKey);
    if (peer.trust === 'denied') throw new FederationRefused('partner-not-allowed');
    await this.shares.insert(this.rowOf(offer, recipient, peer.id), offerSubject(offer));
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
