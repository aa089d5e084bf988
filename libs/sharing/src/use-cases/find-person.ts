import { mayShare } from '../domain/policy';
import { searchScopes } from '../domain/sharees';
import type { Caller, PolicySource } from '../ports/ports';
import type { FoundUser, PeopleDirectory } from '../ports/sharee-directory';

/** An account as others see it. */
export type Person = Pick<FoundUser, 'uid' | 'displayName'>;

export interface FindPersonPorts {
  readonly policy: PolicySource;
  readonly directory: PeopleDirectory;
}

/** No user id is longer. */
const MAX_UID = 64;

/**
 * The account with this id, as far as the caller may know that it exists: the search for recipients finds it by its whole id, or one of both
 * shares something with the other. All others look like accounts that do not exist.
 */
export async function findPerson(
  { policy, directory }: FindPersonPorts,
  caller: Caller,
  uid: string,
): Promise<Person | undefined> {
  if (uid === '' || uid.length > MAX_UID) return undefined;
  const rules = await policy.current();
  const scope = mayShare(rules, caller.groups) ? searchScopes(rules, caller.groups, uid)?.users : undefined;
  // Whole ids only; everybody is looked up, so that an account which is hidden takes as long as one that does not exist.
  const anywhere = { parts: false, names: false, within: scope?.within, idsAnywhere: true };
  const { exact } = await directory.users({ search: uid, limit: 1, offset: 0, scope: anywhere });
  const found = exact[0];
  if (!found) return undefined;
  const isFound = scope !== undefined && (found.withinScope || scope.idsAnywhere);
  const isKnown =
    isFound || found.uid === caller.uid || (await directory.shareWithEachOther(caller.uid, found.uid));
  return isKnown ? { uid: found.uid, displayName: found.displayName } : undefined;
}
