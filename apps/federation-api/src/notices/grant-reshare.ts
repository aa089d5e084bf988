import { Inject, Injectable } from '@nestjs/common';
import type { ErrorClass, OfferPayload } from '#federation/delivery';
import {
  FederationRefused,
  localCloudId,
  parseCloudId,
  peerKeyOf,
  SecretText,
  type FederatedCloudId,
  type PartnerNotice,
  type ReshareGrant,
} from '#federation/protocol';
import {
  Database,
  InboxRepository,
  InboxShareRepository,
  OutboxRepository,
  PeerRepository,
  type MessageVerdict,
  type NotifiedShareRow,
  type Queryable,
  type RequestedShare,
  type RequestedShareRow,
} from '#persistence';
import { CONFIG, PublicAddress, randomToken, SecretBox, type Config } from '#platform';
import { Verdicts } from '#queue';
import { CachedPolicy } from '#settings';
import { FEDERATED_SECRET_LENGTH, partnerAccess, partnerNamed, SHARE } from '#sharing';
import { BoundShares, type Binding } from './bound-shares';

export type ReshareRequest = Binding & Extract<PartnerNotice, { kind: 'reshare-requested' }>;

/**
 * A partner's user wants to pass on a share: the owner's server makes the new share itself, so that the third server
 * gets it from there. The same request again gets the same share. Content that was received from elsewhere and is
 * shared on from here goes from here to the third server too: the requester knows no other server.
 */
@Injectable()
export class GrantReshare {
  constructor(
    private readonly shares: BoundShares,
    private readonly policy: CachedPolicy,
    private readonly peers: PeerRepository,
    private readonly outbox: OutboxRepository,
    private readonly inbox: InboxRepository,
    private readonly verdicts: Verdicts,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws FederationRefused */
  async grant(request: ReshareRequest): Promise<ReshareGrant> {
    await this.shares.assertOutgoing();
    // A caller who does not hold the share must not create a partner.
    await this.database.transaction((transaction) => this.permitted(transaction, request));
    const peer = await this.peers.ensure(await this.allowedHost(request.shareWith));
    const { shareId, offerId } = await this.shareOnce(request, peer.id);
    const verdict = await this.verdicts.wait(offerId, this.config.FEDERATION_SYNC_WAIT / 2);
    const repository = new InboxShareRepository(this.database);
    const tokenEnc = await repository.setRequesterShareId(shareId, request.requesterShareId);
    if (tokenEnc)
      return { providerId: String(shareId), sharedSecret: new SecretText(this.secrets.open(tokenEnc)) };
    // It ended meanwhile: with what the recipient's server says, or before where this is a repetition.
    if (verdict?.errorClass) throw new FederationRefused('reshare-refused', wordsIn(verdict));
    throw new FederationRefused('share-unknown', request.providerId);
  }

  /** @throws FederationRefused when the requester may not pass it on, or wants to give it back to its owner */
  private async permitted(transaction: Queryable, request: ReshareRequest): Promise<NotifiedShareRow> {
    const share = await this.shares.lock(transaction, request);
    // A share that its owner's server made is known there: here it can only be ended and changed.
    if (share.isGranted) throw new FederationRefused('share-unknown', request.providerId);
    const { resharing } = await this.policy.current();
    if (!resharing || (share.permissions & SHARE) === 0) throw new FederationRefused('reshare-refused');
    const owners = [localCloudId(share.ownerUid, this.address.url)];
    if (share.remoteOwner !== null) owners.push(parseCloudId(share.remoteOwner));
    if (owners.some(({ canonical }) => canonical === request.shareWith.canonical))
      throw new FederationRefused('reshare-refused');
    return share;
  }

  private async allowedHost(shareWith: FederatedCloudId): Promise<string> {
    const hostKey = peerKeyOf(shareWith);
    const partner = partnerNamed(hostKey, await this.peers.regarded(hostKey));
    if (partnerAccess(await this.policy.current(), 'outgoing', partner) === 'closed')
      throw new FederationRefused('partner-not-allowed');
    return hostKey;
  }

  /** A repetition, however late, makes no second share. */
  private async shareOnce(request: ReshareRequest, peerId: number): Promise<MadeShare> {
    const { providerId, sharedSecret, shareWith, requesterShareId } = request;
    const kind = 'reshare-requested';
    const parts = [kind, providerId, sharedSecret?.reveal() ?? '', shareWith.canonical, requesterShareId];
    const dedupeHash = this.secrets.lookup(parts.join('\n'));
    const { reply } = await this.inbox.once({ dedupeHash, kind }, async (transaction) => {
      const original = await this.permitted(transaction, request);
      const made = await this.share(transaction, request, original, peerId);
      return { peerId: original.peerId, httpStatus: 201, reply: made };
    });
    return reply as MadeShare;
  }

  private async share(
    transaction: Queryable,
    { shareWith, permissions }: ReshareRequest,
    original: NotifiedShareRow,
    recipientPeerId: number,
  ): Promise<MadeShare> {
    const secret = randomToken(FEDERATED_SECRET_LENGTH);
    const asked: RequestedShare = {
      recipient: shareWith.raw,
      recipientCanonical: shareWith.canonical,
      recipientPeerId,
      permissions: original.permissions & (permissions ?? original.permissions),
      tokenHmac: this.secrets.lookup(secret),
      tokenEnc: this.secrets.seal(secret),
    };
    const made = await new InboxShareRepository(transaction).insertRequested(original.id, asked);
    // Another person shared it with the recipient: the requester must not learn that share's secret.
    if (!made) throw new FederationRefused('field-invalid', 'shareWith');
    const offerId = await this.outbox.write(transaction, {
      kind: 'share-create',
      subject: { type: 'share', id: made.id },
      peerId: recipientPeerId,
      revision: 0,
      payload: offerOf(made, asked, original),
      sealedSecret: asked.tokenEnc,
    });
    return { shareId: made.id, offerId: offerId! };
  }
}

const REFUSALS: readonly ErrorClass[] = [
  'recipient-unknown',
  'signature-refused',
  'rejected',
  'denied',
  'unsupported',
];

/** Message of the recipient's server; '' where it sent none. */
const wordsIn = ({ errorClass, message }: MessageVerdict): string =>
  errorClass && REFUSALS.includes(errorClass) ? (message ?? '') : '';

/** A share that was made on request, and the message that offers it: nothing secret, it is kept with the answer. */
interface MadeShare {
  readonly shareId: number;
  readonly offerId: number;
}

/** To its recipient, who asked for it is its sender. */
function offerOf(made: RequestedShareRow, asked: RequestedShare, original: NotifiedShareRow): OfferPayload {
  const { raw, user } = parseCloudId(original.recipient);
  return {
    shareWith: asked.recipient,
    name: made.nodeName,
    nodeKind: made.nodeKind,
    permissions: asked.permissions,
    expiresOn: made.expiresOn,
    owner: { uid: made.ownerUid, displayName: made.ownerDisplayName },
    sender: { cloudId: raw, displayName: user },
  };
}
