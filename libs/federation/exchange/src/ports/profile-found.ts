import type { DiscoveryConclusion, PeerProfile } from '#federation/protocol';

/** How a partner is spoken to, or why that is not known. */
export type ProfileFound =
  | { readonly kind: 'partner'; readonly profile: PeerProfile }
  /** `isNew` where it was never known as a partner. */
  | (NoProfile & { readonly isNew: boolean });

type NoProfile = Exclude<DiscoveryConclusion, { kind: 'partner' }>;
