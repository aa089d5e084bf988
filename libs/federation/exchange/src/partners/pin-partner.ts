import { DIALECTS, type Dialect, type PeerProfile } from '#federation/protocol';

/** Profile of a partner with chosen dialects only, or a dialect for which it has no address. */
export type PinnedProfile =
  | { readonly kind: 'pinned'; readonly profile: PeerProfile }
  | { readonly kind: 'no-address'; readonly dialect: Dialect };

/** @param dialects in the order of attempts, each once */
export function pinnedTo(profile: PeerProfile, dialects: readonly Dialect[]): PinnedProfile {
  const dialect = dialects.find((one) => DIALECTS[one].endPoint(profile) === null);
  if (dialect !== undefined) return { kind: 'no-address', dialect };
  return { kind: 'pinned', profile: { ...profile, dialects, provenDialect: null } };
}
