import type { SharingPolicy } from './policy';
import { SHARE_TYPES } from './share';

/** The kinds of recipients that a search looks for. */
export interface WantedSharees {
  readonly users: boolean;
  readonly groups: boolean;
  readonly remotes: boolean;
}

/** Items that can be shared with other servers. */
const SHARED_ACROSS_SERVERS: ReadonlySet<string> = new Set(['file', 'folder']);

/** Which kinds are looked for. @param asked share types as the caller named them; undefined: all */
export function wantedSharees(
  policy: SharingPolicy,
  asked: readonly number[] | undefined,
  itemType: string,
): WantedSharees {
  const wants = (type: number): boolean => asked === undefined || asked.includes(type);
  return {
    users: wants(SHARE_TYPES.user),
    groups: wants(SHARE_TYPES.group) && policy.groupSharing,
    remotes:
      wants(SHARE_TYPES.federated) && policy.federation.outgoing && SHARED_ACROSS_SERVERS.has(itemType),
  };
}

/** How far a search among users, or among groups, may see. */
export interface SearchScope {
  /** Whether parts of names are found, not only whole ones. */
  readonly parts: boolean;
  /** Whether whole names are found, not only whole ids. */
  readonly names: boolean;
  /** Only members of these groups, or these groups themselves; undefined: no limit. */
  readonly within: readonly string[] | undefined;
  /** Whether accounts outside of `within` are found by their whole id. */
  readonly idsAnywhere: boolean;
}

/**
 * How far the caller sees among users, among groups and among their contacts. A search shorter than the minimum finds whole ids only, and
 * an empty one nothing where there is a minimum. Source: ocs-facts 9.
 * @returns undefined when nothing can be found
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
 * Whether the search itself is offered as somebody on another server: it looks like a federated cloud id, unless it
 * is how a user found here signs in (`ann@cloud.example.org` on cloud.example.org).
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
