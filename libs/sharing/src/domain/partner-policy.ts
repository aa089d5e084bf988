import type { ShareDirection } from './default-trust';
import { mayFederateWith, type SharingPolicy } from './policy';

/** Trust of an administrator in a partner; `unknown`: they did not decide. */
export const PARTNER_TRUSTS = ['unknown', 'allowed', 'denied', 'invited', 'trusted'] as const;
export type PartnerTrust = (typeof PARTNER_TRUSTS)[number];

/** A partner as the rule sees it. */
export interface RegardedPartner {
  /** Canonical host, with port and path where they are not the usual ones. */
  readonly hostKey: string;
  readonly trust: PartnerTrust;
  /** For what is given, where that differs. */
  readonly outgoingTrust: PartnerTrust | null;
}

/** Partners that shares are exchanged with: everybody there, only people who accepted each other's invitation, or nobody. */
export type PartnerAccess = 'open' | 'contacts' | 'closed';

/**
 * The partner under the name that somebody used for it: the lists name hosts, so it is that name that has to pass them.
 * @param known the stored decisions on it; undefined for one that is not known
 */
export function partnerNamed(
  hostKey: string,
  known: Pick<RegardedPartner, 'trust' | 'outgoingTrust'> | undefined,
): RegardedPartner {
  return { hostKey, trust: known?.trust ?? 'unknown', outgoingTrust: known?.outgoingTrust ?? null };
}

/**
 * How a partner is regarded in one direction: the lists of hosts are the fence around everything, then what was said of
 * the partner counts, then the default.
 */
export function trustIn(
  policy: SharingPolicy,
  direction: ShareDirection,
  partner: RegardedPartner,
): Exclude<PartnerTrust, 'unknown'> {
  if (!mayFederateWith(policy, partner.hostKey)) return 'denied';
  const said = direction === 'outgoing' ? (partner.outgoingTrust ?? partner.trust) : partner.trust;
  return said === 'unknown' ? policy.federation.defaultTrust[direction] : said;
}

const ACCESS: Readonly<Record<Exclude<PartnerTrust, 'unknown'>, PartnerAccess>> = {
  allowed: 'open',
  trusted: 'open',
  invited: 'contacts',
  denied: 'closed',
};

/** The one rule of who is dealt with. The switches of the directions are no part of it. */
export function partnerAccess(
  policy: SharingPolicy,
  direction: ShareDirection,
  partner: RegardedPartner,
): PartnerAccess {
  return ACCESS[trustIn(policy, direction, partner)];
}

/** Whether anything is exchanged with a partner, in whatever direction. */
export function dealsWith(policy: SharingPolicy, partner: RegardedPartner): boolean {
  const { incoming, outgoing } = policy.federation;
  const takes = incoming && partnerAccess(policy, 'incoming', partner) !== 'closed';
  return takes || (outgoing && partnerAccess(policy, 'outgoing', partner) !== 'closed');
}

/** Whether an offer of this partner is accepted without asking its recipient, unless they want to be asked. */
export function mayAutoAccept(policy: SharingPolicy, partner: RegardedPartner): boolean {
  return policy.federation.autoAcceptTrusted && trustIn(policy, 'incoming', partner) === 'trusted';
}
