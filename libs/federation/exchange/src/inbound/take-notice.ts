import {
  assertBindsUnsigned,
  EVENTS,
  FederationRefused,
  type PartnerNotice,
  type ReshareGrant,
} from '#federation/protocol';
import type { InboundPorts } from '../ports/inbound';
import type { NoticePartner } from '../ports/inbound-partners';
import type { ProvenSenders, SenderCheck } from '../ports/sender-proof';
import { shareIdIn, type Binding } from './bound-share';
import { grantReshare } from './grant-reshare';
import {
  permissionsOfOursChanged,
  recipientAccepted,
  recipientDeclined,
  recipientSaw,
  reshareUndone,
} from './notices-of-ours';
import {
  contentOfReceivedChanged,
  doubtReceived,
  permissionsOfReceivedChanged,
  takenBack,
} from './notices-of-received';

/**
 * Takes a partner's message about a share that both sides know. The sender gets no message in return.
 * @param check finds out which of the possible partners sent it
 * @returns the share that was made, if the message requested one
 * @throws FederationRefused
 */
export async function takeNotice(
  ports: InboundPorts,
  notice: PartnerNotice,
  check: SenderCheck,
): Promise<ReshareGrant | undefined> {
  const binding = await bindingOf(ports, notice, check);
  if (notice.kind === 'reshare-requested') return grantReshare(ports, { ...notice, ...binding });
  await apply(ports, notice, binding);
  return undefined;
}

/** A message about no known share has no possible senders, and changes nothing. */
async function bindingOf(ports: InboundPorts, notice: PartnerNotice, check: SenderCheck): Promise<Binding> {
  const { providerId, sharedSecret } = notice;
  const partners = await partnersOf(ports, notice);
  const { proof, hosts } = await provenOrDoubted(ports, notice, partners, check);
  const senders = partners.filter(({ hostKey }) => hosts.includes(hostKey)).map(({ peerId }) => peerId);
  if (senders.length > 0) ports.partners.actAs({ peerId: senders[0] });
  return { providerId, sharedSecret, senders, isSigned: proof === 'signed' };
}

/**
 * Partners that may have sent the notice: the partner of the share with its id, and with its secret if the notice has
 * one. There are several
 * if different partners offered a share with this id (and secret), and none for an unknown share.
 */
async function partnersOf(
  { partners, secrets }: InboundPorts,
  notice: PartnerNotice,
): Promise<readonly NoticePartner[]> {
  const { providerId, sharedSecret } = notice;
  const key = sharedSecret && secrets.lookup(sharedSecret.reveal());
  const { sender } = EVENTS[notice.kind];
  if (sender === 'owner') return partners.ofReceived(providerId, key);
  const shareId = shareIdIn(providerId);
  return shareId === undefined ? [] : partners.ofOurs(shareId, key, sender);
}

/** An unproven message about an end is still refused: anyone with the secret could send it. */
async function provenOrDoubted(
  ports: InboundPorts,
  notice: PartnerNotice,
  partners: readonly NoticePartner[],
  check: SenderCheck,
): Promise<ProvenSenders> {
  try {
    return await proven(ports, notice, partners, check);
  } catch (error) {
    if (error instanceof FederationRefused && notice.kind === 'share-unshared')
      await doubtReceived(ports, notice);
    throw error;
  }
}

const NONE: ProvenSenders = { proof: 'unsigned', hosts: [] };

/** Without a secret only a signature proves the sender. oCIS names the recipient, which proves nothing. */
async function proven(
  ports: InboundPorts,
  notice: PartnerNotice,
  partners: readonly NoticePartner[],
  check: SenderCheck,
): Promise<ProvenSenders> {
  const hosts = partners.map(({ hostKey }) => hostKey);
  if (notice.sharedSecret) {
    if (hosts.length === 0) return NONE;
    ports.partners.actAs({ hostKey: hosts[0] });
    return check.among(hosts);
  }
  const signers = hosts.length > 0 ? await check.signers(hosts) : [];
  if (signers.length > 0) return { proof: 'signed', hosts: signers };
  assertBindsUnsigned(notice);
  return NONE;
}

function apply(
  ports: InboundPorts,
  notice: Exclude<PartnerNotice, { kind: 'reshare-requested' }>,
  binding: Binding,
): Promise<void> {
  switch (notice.kind) {
    case 'share-accepted':
      return recipientAccepted(ports, binding);
    case 'share-seen':
      return recipientSaw(ports, binding);
    case 'share-declined':
      return recipientDeclined(ports, binding, notice.reason ?? null);
    case 'reshare-undone':
      return reshareUndone(ports, binding);
    case 'share-unshared':
      return takenBack(ports, binding);
    case 'reshare-permissions':
      return permissionsOfOursChanged(ports, { ...notice, ...binding });
    case 'share-permissions':
      return permissionsOfReceivedChanged(ports, binding, notice);
    case 'content-changed':
      return contentOfReceivedChanged(ports, binding, notice.etag);
  }
}
