import {
  NO_PROFILE_VALID_MS,
  PROFILE_VALID_MS,
  type Dialect,
  type DiscoveryConclusion,
  type PeerProfile,
  type SignatureChoice,
} from '#federation/protocol';
import type { PartnerTrust } from '#sharing';
import type { ProfileFound } from '../ports/profile-found';
import { failureText, readFailure, readProfile, type DiscoveryFailure } from './stored-profile';

/** Pause before a server without a usable answer is asked again. */
const INCONCLUSIVE_FOR_MS = 30_000;

/** A partner with the stored results of its discoveries. */
export interface DiscoveredPartner {
  /** null if discovery never succeeded. */
  readonly profile: unknown;
  readonly profileExpiresAt: Date | null;
  /** A profile from an operator, used instead; null for none. */
  readonly pinnedProfile: unknown;
  /** An operator's choice of how messages to it are signed; null if its announcements decide. */
  readonly signBy: SignatureChoice | null;
  /** No new discovery before this time; null after a success. */
  readonly discoveryFailedUntil: Date | null;
  readonly discoveryError: string | null;
}

/** Answer of a partner's server about itself, with its announced keys. */
interface Discovered<Keys> {
  readonly conclusion: DiscoveryConclusion;
  readonly keys: Keys;
}

/** Discovery of partners, and storage of the results. */
export interface DiscoveryPorts<Partner, Keys, Options> {
  /** Asks the partner's server; never throws for its errors. */
  ask(partner: Partner, options: Options): Promise<Discovered<Keys>>;
  keep(partner: Partner, profile: PeerProfile, validMs: number, keys: Keys): Promise<void>;
  /** The older profile and known keys are kept. */
  keepFailure(partner: Partner, reason: string, forMs: number): Promise<void>;
}

/** Discovers a partner, even if it is known, and stores the result. */
export async function discoverPartner<Partner, Keys, Options extends { readonly signal?: AbortSignal }>(
  ports: DiscoveryPorts<Partner, Keys, Options>,
  partner: Partner,
  options: Options,
): Promise<DiscoveryConclusion> {
  const { conclusion, keys } = await ports.ask(partner, options);
  if (conclusion.kind === 'partner') {
    await ports.keep(partner, conclusion.profile, PROFILE_VALID_MS, keys);
  } else if (!options.signal?.aborted) {
    // An interrupted request says nothing about the partner.
    const forMs = conclusion.kind === 'no-partner' ? NO_PROFILE_VALID_MS : INCONCLUSIVE_FOR_MS;
    await ports.keepFailure(partner, failureText(conclusion), forMs);
  }
  return conclusion;
}

/**
 * The profile for reaching a partner: the operator's, else the stored one while it is fresh, else a new one. If a partner does
 * not answer, its last profile is used. A partner that just failed is not asked again: its last failure is the answer.
 * @param isPersistent for callers that wait between attempts, such as a delivery: a partner that just failed is asked again
 * @param discover asks it now
 */
export async function profileOf(
  partner: DiscoveredPartner,
  nowMs: number,
  isPersistent: boolean,
  discover: () => Promise<DiscoveryConclusion>,
): Promise<ProfileFound> {
  const found = await announcedBy(partner, nowMs, isPersistent, discover);
  if (found.kind !== 'partner') return found;
  return { kind: 'partner', profile: { ...found.profile, signBy: partner.signBy } };
}

async function announcedBy(
  partner: DiscoveredPartner,
  nowMs: number,
  isPersistent: boolean,
  discover: () => Promise<DiscoveryConclusion>,
): Promise<ProfileFound> {
  const pinned = readProfile(partner.pinnedProfile);
  if (pinned) return { kind: 'partner', profile: pinned };
  const kept = readProfile(partner.profile);
  if (kept && isAhead(partner.profileExpiresAt, nowMs)) return { kind: 'partner', profile: kept };
  const conclusion = (isPersistent ? undefined : failureOf(partner, nowMs)) ?? (await discover());
  if (conclusion.kind === 'partner') return conclusion;
  if (kept && conclusion.kind === 'inconclusive') return { kind: 'partner', profile: kept };
  return { ...conclusion, isNew: kept === undefined };
}

/**
 * The profile of a partner that accepted a dialect: from then on only that one is tried.
 * @returns undefined if there is nothing to store
 */
export function provenProfile(
  partner: Pick<DiscoveredPartner, 'pinnedProfile'>,
  profile: PeerProfile,
  dialect: Dialect,
  nowMs: number,
): { readonly profile: PeerProfile; readonly validMs: number } | undefined {
  const validMs = profile.expiresAt - nowMs;
  if (partner.pinnedProfile !== null || profile.provenDialect === dialect || validMs <= 0) return undefined;
  return { profile: { ...profile, provenDialect: dialect, signBy: null }, validMs };
}

/** Whether a partner described itself as one just now. A server that does not is not well, whatever else it answers. */
export const isWell = (partner: Pick<DiscoveredPartner, 'profile' | 'discoveryFailedUntil'>): boolean =>
  partner.profile !== null && partner.discoveryFailedUntil === null;

/** Whether the server is known to be a partner. One that was a partner before stays one while its server is away. */
export const isKnownPartner = (isProfiled: boolean, trust: PartnerTrust): boolean =>
  isProfiled || trust !== 'unknown';

const isAhead = (time: Date | null, nowMs: number): boolean => time !== null && time.getTime() > nowMs;

/** The reason why the last discovery failed, until the next one is allowed. */
function failureOf(
  { discoveryFailedUntil, discoveryError }: DiscoveredPartner,
  nowMs: number,
): DiscoveryFailure | undefined {
  return isAhead(discoveryFailedUntil, nowMs) ? readFailure(discoveryError ?? '') : undefined;
}
