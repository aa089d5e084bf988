import { FederationRefused, type PartnerNotice } from '#federation/protocol';
import { clampToKind, receivedStateAfter } from '#sharing';
import type { InboundPorts } from '../ports/inbound';
import type { HeldShare, ReceivedSharesHeld } from '../ports/received-share-changes';
import { ONE_REFUSAL_LEFT } from '../received/share-watch';
import type { Binding } from './bound-share';
import { expiryOf } from './offer-limits';

/*
 * Notices of owners about shares that our users received. They are followed even when sharing is turned off: a withdrawn share
 * must not stay visible.
 */

type ReceivedPorts = Pick<InboundPorts, 'received' | 'secrets'>;

/**
 * The owner withdrew the share. An unknown share counts as gone already, as the owner wants; a guess looks the
 * same, and is recorded.
 */
export async function takenBack(ports: ReceivedPorts, notice: Binding): Promise<void> {
  const known = await ports.received.change(async (shares) => {
    const held = await sharesOf(ports, shares, notice);
    for (const share of held) {
      const next = receivedStateAfter(share.state, 'revoke');
      if (next !== undefined) await shares.end(share, next);
    }
    return held.length;
  });
  if (known === 0) await ports.received.recordUnknown();
}

/**
 * A sender with the secret says that the share ended, but is not proven to be its owner's server: it may be the server that passed it on,
 * or a thief. The owner's server is asked, and decides.
 */
export async function doubtReceived(
  { received, secrets }: ReceivedPorts,
  { providerId, sharedSecret }: PartnerNotice,
): Promise<void> {
  if (!sharedSecret) return;
  const known = { providerId, tokenHmac: secrets.lookup(sharedSecret.reveal()) };
  await received.change((shares) => shares.doubt(known, ONE_REFUSAL_LEFT));
}

type ReceivedChange = Pick<
  Extract<PartnerNotice, { kind: 'share-permissions' | 'reshare-permissions' }>,
  'permissions' | 'expiresAt' | 'description'
>;

/** The owner changed the permissions, the expiry or the note of the share. @throws FederationRefused share-unknown */
export async function permissionsOfReceivedChanged(
  ports: ReceivedPorts,
  notice: Binding,
  { permissions, expiresAt, description }: ReceivedChange,
): Promise<void> {
  await ports.received.change(async (shares) => {
    const held = await sharesOf(ports, shares, notice);
    if (held.length === 0) throw new FederationRefused('share-unknown', notice.providerId);
    for (const share of held) {
      const granted = clampToKind(permissions, share.kind ?? 'folder');
      if (granted !== share.permissions) await shares.changePermissions(share.id, granted);
      if (expiresAt !== undefined) await shares.changeExpiry(share.id, expiryOf({ expiresAt }));
      if (description !== undefined) await shares.changeDescription(share.id, description);
    }
  });
}

/**
 * The owner's server says that the content changed: it is read at once, and not only when the next probe is due.
 * @param etag of the root after the change @throws FederationRefused share-unknown
 */
export async function contentOfReceivedChanged(
  ports: ReceivedPorts,
  notice: Binding,
  etag: string,
): Promise<void> {
  await ports.received.change(async (shares) => {
    const held = await sharesOf(ports, shares, notice);
    if (held.length === 0) throw new FederationRefused('share-unknown', notice.providerId);
    for (const { id } of held) await shares.probeNow(id, etag);
  });
}

async function sharesOf(
  { secrets }: ReceivedPorts,
  shares: ReceivedSharesHeld,
  { providerId, sharedSecret, senders, isSigned }: Binding,
): Promise<readonly HeldShare[]> {
  if (!sharedSecret) return isSigned ? shares.lockOfPartners(providerId, senders) : [];
  const held = await shares.lockBySecret(providerId, secrets.lookup(sharedSecret.reveal()));
  return held.filter(({ peerId }) => senders.includes(peerId));
}
