import { partnerAccess, type PartnerTrust } from './partner-policy';
import { mayShare, type SharingPolicy } from './policy';

/** Reason why a share with another instance gives no access at the moment. Each reason can be undone, and then the share works again. */
export type AccessSuspension = 'sharing-off' | 'outgoing-off' | 'partner-denied' | 'people-barred';

/** Facts that decide, together with the policy, whether a federated share gives access at the moment. */
export interface FederatedAccess {
  /** The partner's canonical host; null where none is known. */
  readonly hostKey: string | null;
  readonly trust: PartnerTrust;
  readonly outgoingTrust: PartnerTrust | null;
  /** Whether the initiator can sign in, and may still pass on what a partner gave them. */
  readonly stillPassedOn: boolean;
  readonly ownerEnabled: boolean;
  readonly initiatorGroups: readonly string[];
}

/**
 * Whether the content of a federated share is withheld because of the policy or the state of its people. Shares that
 * have ended are not judged here: partners delete them when they are notified.
 */
export function suspensionOf(policy: SharingPolicy, access: FederatedAccess): AccessSuspension | undefined {
  const { hostKey, trust, outgoingTrust, stillPassedOn, ownerEnabled, initiatorGroups } = access;
  if (!policy.apiEnabled) return 'sharing-off';
  if (!policy.federation.outgoing) return 'outgoing-off';
  // A contact that was removed keeps their shares, as they do at other servers after a withdrawn invitation.
  if (hostKey !== null && partnerAccess(policy, 'outgoing', { hostKey, trust, outgoingTrust }) === 'closed')
    return 'partner-denied';
  return stillPassedOn && ownerEnabled && mayShare(policy, initiatorGroups) ? undefined : 'people-barred';
}
