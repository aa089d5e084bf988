import type { SharingPolicy } from './policy';
import { REMOTE_GROUP_TYPE, SHARE_TYPES } from './share';

/** The kinds of recipients that a search covers. */
export interface WantedSharees {
  readonly users: boolean;
  readonly groups: boolean;
  readonly remotes: boolean;
  /** Groups of other servers, which cannot be searched: a whole name is taken at its word. */
  readonly remoteGroups: boolean;
}

/** Items that can be shared with other servers. */
const SHARED_ACROSS_SERVERS: ReadonlySet<string> = new Set(['file', 'folder']);

/** The kinds of recipients that a search covers. @param asked share types of the request; undefined: all */
export function wantedSharees(
  policy: SharingPolicy,
  asked: readonly number[] | undefined,
  itemType: string,
): WantedSharees {
  const wants = (type: number): boolean => asked === undefined || asked.includes(type);
  const mayLeave = policy.federation.outgoing && SHARED_ACROSS_SERVERS.has(itemType);
  return {
    users: wants(SHARE_TYPES.user),
    groups: wants(SHARE_TYPES.group) && policy.groupSharing,
    remotes: wants(SHARE_TYPES.federated) && mayLeave,
    remoteGroups: wants(REMOTE_GROUP_TYPE) && mayLeave && policy.federation.outgoingToGroups,
  };
}

/** Limits of a search among users or groups. */
export interface SearchScope {
  /** Whether parts of names match, not only whole names. */
  readonly parts: boolean;
  /** Whether whole names match, not only whole ids. */
  readonly names: boolean;
  /** Search only in members of these groups, or only in these groups; undefined: everywhere. */
  readonly within: readonly string[] | undefined;
  /** Whether the whole id of an account outside of `within` matches. */
  readonly idsAnywhere: boolean;
}

/**
 * Limits of a search for users, for groups and for the caller's contacts. A search shorter than the minimum matches whole ids only; an
 * empty search matches nothing where a minimum is set. Source: ocs-facts 9.
 * @returns undefined when nothing can match
 */
export function searchScopes(
  policy: SharingPolicy,
  callerGroups: readonly string[],
  search: string,
): Readonly<Record<'users' | 'groups' | 'contacts', SearchScope>> | undefined {
  const { enumeration, onlyGroupMembers, onlyMembershipGroups } = policy;
  if (search.trim() === '' && policy.searchMinLength > 0) return undefined;
  const names = isLongEnough(policy, search);
  const parts = names && enumeration.enabled;
  const enumeratesMembers = enumeration.enabled && enumeration.groupMembersOnly;
  const scope = (restricted: boolean): SearchScope => ({
    parts,
    names,
    within: restricted || enumeratesMembers ? callerGroups : undefined,
    idsAnywhere: !restricted,
  });
  const contacts: SearchScope = { parts, names, within: undefined, idsAnywhere: true };
  return { users: scope(onlyGroupMembers), groups: scope(onlyMembershipGroups), contacts };
}

function isLongEnough(policy: SharingPolicy, search: string): boolean {
  return [...search.trim()].length >= policy.searchMinLength;
}

/**
 * Whether the typed text itself is offered as a recipient on another server: it looks like a federated cloud id, and is not
 * the sign-in name of a user found here (`ann@cloud.example.org` on cloud.example.org).
 */
export function isRemoteTypedIn(
  policy: SharingPolicy,
  search: string,
  exactUserFound: boolean,
  isOwnDomain: (domain: string) => boolean,
): boolean {
  if (!search.includes('@') || !isLongEnough(policy, search)) return false;
  return !(exactUserFound && !search.includes('/') && isOwnDomain(search.slice(search.lastIndexOf('@') + 1)));
}
