import {
  FAILURES,
  FederationRefused,
  localCloudId,
  parseCloudId,
  peerKeyOf,
  SecretText,
  type FederatedCloudId,
  type PartnerNotice,
  type ReshareGrant,
} from '#federation/protocol';
import { partnerAccess, partnerNamed, SHARE } from '#sharing';
import type { OfferPayload } from '../messages/payloads';
import type { InboundPorts, OfferVerdict } from '../ports/inbound';
import type { MadeShare, NotifiedShare, OurShares, RequestedShare } from '../ports/our-shares';
import { assertOutgoing, boundShare, type Binding } from './bound-share';

export type ReshareRequest = Binding & Extract<PartnerNotice, { kind: 'reshare-requested' }>;

/**
 * Grants a partner's request to pass on a share: the owner's server makes the new share itself, and the third server
 * gets it from there. A repeated request gets the same share, and so does a server that lost it with a restore from a backup. Received content that
 * is shared on from here is also offered from here to the third server: the requester knows no other server.
 * @throws FederationRefused
 */
export async function grantReshare(ports: InboundPorts, request: ReshareRequest): Promise<ReshareGrant> {
  await assertOutgoing(ports);
  const { ours, partners, secrets } = ports;
  // A caller who does not have the share must not create a partner.
  await ours.change((shares) => permitted(ports, shares, request));
  const partner = await partners.ensure(await allowedHost(ports, request.shareWith));
  const { shareId, offerId } = await shareOnce(ports, request, partner.id);
  const verdict = offerId === null ? undefined : await ports.verdict(offerId);
  const sealed = await ours.setRequesterShareId(shareId, request.requesterShareId);
  if (sealed) return { providerId: String(shareId), sharedSecret: new SecretText(secrets.open(sealed)) };
  // The share has ended: the recipient's server refused it now or, for a repetition, earlier.
  if (verdict?.errorClass) throw new FederationRefused('reshare-refused', wordsIn(verdict));
  throw new FederationRefused('share-unknown', request.providerId);
}

/** @throws FederationRefused if the requester may not pass the share on, or wants to share it with its owner */
async function permitted(
  ports: InboundPorts,
  shares: OurShares,
  request: ReshareRequest,
): Promise<NotifiedShare> {
  const share = await boundShare(ports, shares, request);
  // A share that its owner's server made is known there. Here it can only be changed and ended.
  if (share.isGranted) throw new FederationRefused('share-unknown', request.providerId);
  const { resharing } = await ports.policy.current();
  if (!resharing || (share.permissions & SHARE) === 0) throw new FederationRefused('reshare-refused');
  const owners = [localCloudId(share.ownerUid, ports.publicUrl)];
  if (share.remoteOwner !== null) owners.push(parseCloudId(share.remoteOwner));
  if (owners.some(({ canonical }) => canonical === request.shareWith.canonical))
    throw new FederationRefused('reshare-refused');
  return share;
}

async function allowedHost({ partners, policy }: InboundPorts, shareWith: FederatedCloudId): Promise<string> {
  const hostKey = peerKeyOf(shareWith);
  const partner = partnerNamed(hostKey, await partners.regarded(hostKey));
  if (partnerAccess(await policy.current(), 'outgoing', partner) === 'closed')
    throw new FederationRefused('partner-not-allowed');
  return hostKey;
}

/**
 * A share that was made on request, and the message that offers it; null for a share that was offered before. It is stored with the
 * answer, so it contains no secret.
 */
interface OfferedShare {
  readonly shareId: number;
  readonly offerId: number | null;
}

/** A repetition, however late, makes no second share. */
function shareOnce(ports: InboundPorts, request: ReshareRequest, peerId: number): Promise<OfferedShare> {
  const { providerId, sharedSecret, shareWith, requesterShareId } = request;
  const kind = 'reshare-requested';
  const parts = [kind, providerId, sharedSecret?.reveal() ?? '', shareWith.canonical, requesterShareId];
  const key = ports.secrets.lookup(parts.join('\n'));
  return ports.ours.once({ key, kind }, async (shares) => {
    const original = await permitted(ports, shares, request);
    return { peerId: original.peerId, reply: await share(ports, shares, request, original, peerId) };
  });
}

async function share(
  ports: InboundPorts,
  shares: OurShares,
  { shareWith, permissions }: ReshareRequest,
  original: NotifiedShare,
  recipientPeerId: number,
): Promise<OfferedShare> {
  const { secrets } = ports;
  const secret = ports.newSecret().reveal();
  const asked: RequestedShare = {
    recipient: shareWith.raw,
    recipientCanonical: shareWith.canonical,
    recipientPeerId,
    permissions: original.permissions & (permissions ?? original.permissions),
    tokenHmac: secrets.lookup(secret),
    tokenEnc: secrets.seal(secret),
  };
  const made = await shares.insertRequested(original.id, asked);
  if (!made) return { shareId: await sharedBefore(shares, original, asked), offerId: null };
  const offerId = await shares.offer({ ...asked, id: made.id }, offerOf(made, asked, original));
  return { shareId: made.id, offerId };
}

/**
 * The share that the same person requested before for the same recipient, with no more permissions than are requested now.
 * @returns its id
 * @throws FederationRefused if another person shared it with the recipient: the requester must not learn that share's secret
 */
async function sharedBefore(
  shares: OurShares,
  original: NotifiedShare,
  asked: RequestedShare,
): Promise<number> {
  const before = await shares.requestedBefore(original.id, asked);
  if (!before) throw new FederationRefused('field-invalid', 'shareWith');
  const permissions = before.permissions & asked.permissions;
  if (permissions !== before.permissions) {
    await shares.changePermissions(before.id, permissions);
    await shares.notifyRecipient(before.id, permissions);
  }
  return before.id;
}

/** For its recipient, the requester is the sender. */
function offerOf(made: MadeShare, asked: RequestedShare, original: NotifiedShare): OfferPayload {
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

/** Message of the recipient's server; '' if it sent none. */
const wordsIn = ({ errorClass, message }: OfferVerdict): string =>
  errorClass && FAILURES[errorClass].born === 'refusal' ? (message ?? '') : '';
