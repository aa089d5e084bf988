import type { DiscoveryConclusion, PeerProfile } from '#federation/protocol';

/** The profile of a partner, or the reason why there is none. */
export type ProfileFound =
  | { readonly kind: 'partner'; readonly profile: PeerProfile }
  /** `isNew` if the server was never known as a partner. */
  | (NoProfile & { readonly isNew: boolean });

type NoProfile = Exclude<DiscoveryConclusion, { kind: 'partner' }>;
