import type { ShareDirection } from './default-trust';
import { mayFederateWith, type SharingPolicy } from './policy';

/** An administrator's trust in a partner; `unknown`: no decision yet. */
export const PARTNER_TRUSTS = ['unknown', 'allowed', 'denied', 'invited', 'trusted'] as const;
export type PartnerTrust = (typeof PARTNER_TRUSTS)[number];

/** A partner, as this rule needs it. */
export interface RegardedPartner {
  /** Canonical host, with port and path if they are not the usual ones. */
  readonly hostKey: string;
  readonly trust: PartnerTrust;
  /** Trust for shares with this partner, if it differs from the trust for its offers. */
  readonly outgoingTrust: PartnerTrust | null;
}

/** People at a partner that shares are exchanged with: everybody, only contacts by invitation, or nobody. */
export type PartnerAccess = 'open' | 'contacts' | 'closed';

/**
 * The partner under the name that somebody used for it: the lists contain host names, so the name that was used has to pass them.
 * @param known the stored decisions on it; undefined for an unknown partner
 */
export function partnerNamed(
  hostKey: string,
  known: Pick<RegardedPartner, 'trust' | 'outgoingTrust'> | undefined,
): RegardedPartner {
  return { hostKey, trust: known?.trust ?? 'unknown', outgoingTrust: known?.outgoingTrust ?? null };
}

/**
 * Trust in a partner in one direction. The lists of hosts decide first, then the decision about
 * this partner, then the default.
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

/** The one rule that decides with which partners shares are exchanged. It does not look at the switches of the two directions. */
export function partnerAccess(
  policy: SharingPolicy,
  direction: ShareDirection,
  partner: RegardedPartner,
): PartnerAccess {
  return ACCESS[trustIn(policy, direction, partner)];
}

/** Whether anything is exchanged with a partner, in either direction. */
export function dealsWith(policy: SharingPolicy, partner: RegardedPartner): boolean {
  const { incoming, outgoing } = policy.federation;
  const takes = incoming && partnerAccess(policy, 'incoming', partner) !== 'closed';
  return takes || (outgoing && partnerAccess(policy, 'outgoing', partner) !== 'closed');
}

/** Whether an offer of this partner is accepted without asking its recipient. Recipients can object. */
export function mayAutoAccept(policy: SharingPolicy, partner: RegardedPartner): boolean {
  return policy.federation.autoAcceptTrusted && trustIn(policy, 'incoming', partner) === 'trusted';
}
