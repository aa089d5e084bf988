import { Injectable } from '@nestjs/common';
import type { OfferPayload } from '#federation/delivery';
import {
  FederationRefused,
  localCloudId,
  peerKeyOf,
  SecretText,
  type FederatedCloudId,
  type PartnerNotice,
  type ReshareGrant,
} from '#federation/protocol';
import {
  Database,
  InboxShareRepository,
  OutboxRepository,
  PeerRepository,
  type NotifiedShareRow,
  type Queryable,
  type RequestedShareRow,
} from '#persistence';
import { PublicAddress, randomToken, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { mayFederateWith, SHARE } from '#sharing';
import { BoundShares } from './bound-shares';

export type ReshareRequest = Extract<PartnerNotice, { kind: 'reshare-requested' }>;

/**
 * A partner's user wants to pass on what he received: the owner's server makes the share itself, so that the third
 * side gets it from there. The same request again gets the same share.
 */
@Injectable()
export class GrantReshare {
  constructor(
    private readonly shares: BoundShares,
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly outbox: OutboxRepository,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly database: Database,
  ) {}

  /** @throws FederationRefused */
  async grant(request: ReshareRequest): Promise<ReshareGrant> {
    await this.shares.assertOutgoing();
    // Whoever does not hold the share enters no partner.
    await this.database.transaction((transaction) => this.permitted(transaction, request));
    const peer = await this.peers.ensure(await this.allowedHost(request.shareWith));
    return this.database.transaction(async (transaction) => {
      const original = await this.permitted(transaction, request);
      return this.grantOnce(transaction, request, original, peer.id);
    });
  }

  /** @throws FederationRefused when the asker may not pass it on, or wants to give it back to its owner */
  private async permitted(transaction: Queryable, request: ReshareRequest): Promise<NotifiedShareRow> {
    const share = await this.shares.lock(transaction, request);
    const { resharing } = await this.policy.current();
    if (!resharing || (share.permissions & SHARE) === 0) throw new FederationRefused('permission-refused');
    const owner = localCloudId(share.ownerUid, this.address.url);
    if (owner.canonical === request.shareWith.canonical)
      throw new FederationRefused('field-invalid', 'shareWith');
    return share;
  }

  private async allowedHost(shareWith: FederatedCloudId): Promise<string> {
    const hostKey = peerKeyOf(shareWith);
    if (!mayFederateWith(await this.policy.current(), hostKey))
      throw new FederationRefused('partner-not-allowed');
    return hostKey;
  }

  private async grantOnce(
    transaction: Queryable,
    request: ReshareRequest,
    original: NotifiedShareRow,
    peerId: number,
  ): Promise<ReshareGrant> {
    const { shareWith, askerShareId } = request;
    const secret = randomToken();
    const repository = new InboxShareRepository(transaction);
    const permissions = original.permissions & (request.permissions ?? original.permissions);
    const asked = {
      recipient: shareWith.raw,
      recipientCanonical: shareWith.canonical,
      recipientPeerId: peerId,
      permissions,
      tokenHmac: this.secrets.lookup(secret),
      tokenEnc: this.secrets.seal(secret),
      requesterShareId: askerShareId,
    };
    const made = await repository.insertRequested(original.id, asked);
    if (made) {
      await this.offer(transaction, made, asked);
      return { providerId: String(made.id), sharedSecret: new SecretText(secret) };
    }
    const known = await repository.findRequested(original.id, shareWith.canonical, askerShareId);
    // Somebody else shared it with him: that share's secret is not the asker's business.
    if (!known) throw new FederationRefused('field-invalid', 'shareWith');
    return { providerId: String(known.id), sharedSecret: new SecretText(this.secrets.open(known.tokenEnc)) };
  }

  private async offer(
    transaction: Queryable,
    made: RequestedShareRow,
    asked: { recipient: string; recipientPeerId: number; permissions: number; tokenEnc: Buffer },
  ): Promise<void> {
    const payload: OfferPayload = {
      shareWith: asked.recipient,
      name: made.nodeName,
      nodeKind: made.nodeKind,
      permissions: asked.permissions,
      expiresOn: made.expiresOn,
      owner: { uid: made.ownerUid, displayName: made.ownerDisplayName },
      sender: { uid: made.initiatorUid, displayName: made.initiatorDisplayName },
    };
    await this.outbox.write(transaction, {
      kind: 'share-create',
      subject: { type: 'share', id: made.id },
      peerId: asked.recipientPeerId,
      revision: 0,
      payload,
      sealedSecret: asked.tokenEnc,
    });
  }
}
