import { mayShare } from '../domain/policy';
import { searchScopes } from '../domain/sharees';
import type { Caller, PolicySource } from '../ports/ports';
import type { FoundUser, PeopleDirectory } from '../ports/sharee-directory';

/** An account, as other users see it. */
export type Person = Pick<FoundUser, 'uid' | 'displayName'>;

export interface FindPersonPorts {
  readonly policy: PolicySource;
  readonly directory: PeopleDirectory;
}

/** Maximum length of a user id. */
const MAX_UID = 64;

/**
 * The account with this id, if the caller may know that it exists: the search for recipients finds it by its whole id, or one of them
 * shares something with the other. Other accounts look as if they did not exist.
 */
export async function findPerson(
  { policy, directory }: FindPersonPorts,
  caller: Caller,
  uid: string,
): Promise<Person | undefined> {
  if (uid === '' || uid.length > MAX_UID) return undefined;
  const rules = await policy.current();
  const scope = mayShare(rules, caller.groups) ? searchScopes(rules, caller.groups, uid)?.users : undefined;
  // Searches whole ids only. Everybody is looked up, so a hidden account takes as long as a missing one.
  const anywhere = { parts: false, names: false, within: scope?.within, idsAnywhere: true };
  const { exact } = await directory.users({ search: uid, limit: 1, offset: 0, scope: anywhere });
  const found = exact[0];
  if (!found) return undefined;
  const isFound = scope !== undefined && (found.withinScope || scope.idsAnywhere);
  const isKnown =
    isFound || found.uid === caller.uid || (await directory.shareWithEachOther(caller.uid, found.uid));
  return isKnown ? { uid: found.uid, displayName: found.displayName } : undefined;
}
