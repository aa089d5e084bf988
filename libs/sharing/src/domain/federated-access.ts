import { partnerAccess, type PartnerTrust } from './partner-policy';
import { mayShare, type SharingPolicy } from './policy';

/** Why a share with another instance gives no access for the moment; each of them can be undone, and then it does again. */
export type AccessSuspension = 'sharing-off' | 'outgoing-off' | 'partner-denied' | 'people-barred';

/** Facts that decide, beside the policy, whether a federated share gives access at the moment. */
export interface FederatedAccess {
  /** The partner's canonical host; null where none is known. */
  readonly hostKey: string | null;
  readonly trust: PartnerTrust;
  readonly outgoingTrust: PartnerTrust | null;
  /** Whether the initiator can sign in, and what a partner gave may still be passed on. */
  readonly stillPassedOn: boolean;
  readonly ownerEnabled: boolean;
  readonly initiatorGroups: readonly string[];
}

/**
 * Whether the content of a federated share is withheld while the policy and its people are as they are. A share that
 * has ended is none of this module's: partners delete what they mounted when they are notified of it.
 */
export function suspensionOf(policy: SharingPolicy, access: FederatedAccess): AccessSuspension | undefined {
  const { hostKey, trust, outgoingTrust, stillPassedOn, ownerEnabled, initiatorGroups } = access;
  if (!policy.apiEnabled) return 'sharing-off';
  if (!policy.federation.outgoing) return 'outgoing-off';
  // A contact that was removed keeps the shares with them, as after a withdrawn invitation elsewhere.
  if (hostKey !== null && partnerAccess(policy, 'outgoing', { hostKey, trust, outgoingTrust }) === 'closed')
    return 'partner-denied';
  return stillPassedOn && ownerEnabled && mayShare(policy, initiatorGroups) ? undefined : 'people-barred';
}
