import { readProfile } from '#federation/exchange';
import { preferredScheme, type PeerProfile } from '#federation/protocol';
import { keyFingerprints } from '#federation/signatures';
import type { OcsValue } from '#ocs/protocol';
import type { AdministeredPeer, PartnerKeysRow, PeerDetails } from '#persistence';

export const instant = (time: Date | null): string | null => time?.toISOString() ?? null;

/** A partner in a list. Times are ISO 8601. */
export const partnerRecord = ({ openUntil, contentOpenUntil, waitingSince, ...peer }: AdministeredPeer) => ({
  ...peer,
  openUntil: instant(openUntil),
  contentOpenUntil: instant(contentOpenUntil),
  waitingSince: instant(waitingSince),
});

/** All known facts about a partner; its profile in parts, its keys as fingerprints. */
export function partnerDetails(peer: PeerDetails, keys: PartnerKeysRow | undefined): OcsValue {
  const { profile, pinnedProfile, chosen, discoveredAt, lastDelivery, ...listed } = peer;
  const pinned = readProfile(pinnedProfile);
  const spoken = pinned ?? readProfile(profile);
  return {
    ...partnerRecord(listed),
    outgoingTrust: peer.outgoingTrust,
    signatures: peer.signatures,
    signBy: chosen.signBy,
    ignoresUnreadable: chosen.ignoresUnreadable,
    discoveredAt: instant(discoveredAt),
    lastDelivery: instant(lastDelivery),
    pinnedDialects: pinned ? [...pinned.dialects] : null,
    speaks: spoken ? mannerOf({ ...spoken, signBy: chosen.signBy }) : null,
    keys: keyFingerprints(keys?.documentKeys ?? '', keys?.jwks ?? '').map((key) => ({ ...key })),
  };
}

const mannerOf = (profile: PeerProfile) => ({
  product: profile.product,
  address: profile.baseUrl,
  dialects: [...profile.dialects],
  provenDialect: profile.provenDialect,
  signedBy: preferredScheme(profile),
});
