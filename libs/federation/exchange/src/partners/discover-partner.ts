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

/** A server that gave no usable answer is asked again after this. */
const INCONCLUSIVE_FOR_MS = 30_000;

/** A partner with the results of its discoveries; profiles are as they were stored. */
export interface DiscoveredPartner {
  /** null when discovery never succeeded. */
  readonly profile: unknown;
  readonly profileExpiresAt: Date | null;
  /** An operator's profile in its place; null for none. */
  readonly pinnedProfile: unknown;
  /** An operator's choice of how messages to it are signed; null where its announcements decide. */
  readonly signBy: SignatureChoice | null;
  /** Discovery is not repeated before; null when the last one succeeded. */
  readonly discoveryFailedUntil: Date | null;
  readonly discoveryError: string | null;
}

/** Answer of a partner's server about itself, with the keys that it announces. */
interface Discovered<Keys> {
  readonly conclusion: DiscoveryConclusion;
  readonly keys: Keys;
}

/** Discovery of partners, and its results as they are kept. */
export interface DiscoveryPorts<Partner, Keys, Options> {
  /** Asks the partner's server; never throws for what it does. */
  ask(partner: Partner, options: Options): Promise<Discovered<Keys>>;
  keep(partner: Partner, profile: PeerProfile, validMs: number, keys: Keys): Promise<void>;
  /** An older profile and known keys are kept. */
  keepFailure(partner: Partner, reason: string, forMs: number): Promise<void>;
}

/** Asks a partner what it is, whatever is known of it, and keeps the answer. */
export async function discoverPartner<Partner, Keys, Options extends { readonly signal?: AbortSignal }>(
  ports: DiscoveryPorts<Partner, Keys, Options>,
  partner: Partner,
  options: Options,
): Promise<DiscoveryConclusion> {
  const { conclusion, keys } = await ports.ask(partner, options);
  if (conclusion.kind === 'partner') {
    await ports.keep(partner, conclusion.profile, PROFILE_VALID_MS, keys);
  } else if (!options.signal?.aborted) {
    // A question that was interrupted says nothing about the partner.
    const forMs = conclusion.kind === 'no-partner' ? NO_PROFILE_VALID_MS : INCONCLUSIVE_FOR_MS;
    await ports.keepFailure(partner, failureText(conclusion), forMs);
  }
  return conclusion;
}

/**
 * The profile to reach a partner by: an operator's, else the kept one while it is fresh, else a new one. For a partner that does
 * not answer, its last profile counts; a partner that just failed is not asked again: its last failure is the answer.
 * @param isPersistent for callers with a patience of their own, such as a delivery with its pauses and its partner's breaker:
 * a partner that just failed is asked for them
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
 * The profile of a partner that took a dialect: no other one is tried then.
 * @returns undefined where nothing is to be kept
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

/** Whether a partner that was just asked describes itself as one: a server that does not is not well, whatever else it answers. */
export const isWell = (partner: Pick<DiscoveredPartner, 'profile' | 'discoveryFailedUntil'>): boolean =>
  partner.profile !== null && partner.discoveryFailedUntil === null;

/** Whether it is known that it is a partner: one that was one before is not doubted while its server is away. */
export const isKnownPartner = (
  partner: Pick<DiscoveredPartner, 'profile' | 'pinnedProfile'> & { readonly trust: PartnerTrust },
): boolean => partner.profile !== null || partner.pinnedProfile !== null || partner.trust !== 'unknown';

const isAhead = (time: Date | null, nowMs: number): boolean => time !== null && time.getTime() > nowMs;

/** Why the last discovery failed, while it is not to be repeated. */
function failureOf(
  { discoveryFailedUntil, discoveryError }: DiscoveredPartner,
  nowMs: number,
): DiscoveryFailure | undefined {
  return isAhead(discoveryFailedUntil, nowMs) ? readFailure(discoveryError ?? '') : undefined;
}
