import { permissionsThroughLinks } from './link-rules';
import { partnerAccess, type PartnerTrust } from './partner-policy';
import { ALL } from './permissions';
import { mayShare, type SharingPolicy } from './policy';

/** Reason why a share with another instance gives no access at the moment. Each reason can be undone, and then the share works again. */
export type AccessSuspension =
  | 'sharing-off'
  | 'outgoing-off'
  | 'links-off'
  | 'partner-denied'
  | 'people-barred';

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
  /** Whether it is a public link that was saved at the partner. */
  readonly isSavedLink: boolean;
}

/**
 * The permissions of a federated share that count under the present policy and with the present state of its people. The rules for
 * public links also hold for a link that was saved. Shares that have ended are not judged here: partners delete them when they are notified.
 * @returns a mask over the share's permissions, or the reason why its content is withheld
 */
export function grantedToPartner(policy: SharingPolicy, access: FederatedAccess): number | AccessSuspension {
  const { hostKey, trust, outgoingTrust, stillPassedOn, ownerEnabled, initiatorGroups, isSavedLink } = access;
  if (!policy.apiEnabled) return 'sharing-off';
  if (!policy.federation.outgoing) return 'outgoing-off';
  if (isSavedLink && !policy.links.enabled) return 'links-off';
  // A contact that was removed keeps their shares, as they do at other servers after a withdrawn invitation.
  if (hostKey !== null && partnerAccess(policy, 'outgoing', { hostKey, trust, outgoingTrust }) === 'closed')
    return 'partner-denied';
  if (!stillPassedOn || !ownerEnabled || !mayShare(policy, initiatorGroups)) return 'people-barred';
  return isSavedLink ? permissionsThroughLinks(policy) : ALL;
}
