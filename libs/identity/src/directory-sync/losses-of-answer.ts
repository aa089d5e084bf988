import type { ExternalGroup, Membership, ReadIdentity } from '#persistence';
import type { DirectoryAnswer } from './directory-content';
import type { Loss } from './losses';
import { peopleOfGroups } from './people-of-groups';

/** Content of earlier answers of a directory. */
export interface KnownContent {
  readonly people: readonly ReadIdentity[];
  readonly groups: readonly ExternalGroup[];
  readonly memberships: readonly Membership[];
}

/**
 * Losses of an answer, compared with the known content.
 * @param isWhole whether it contains all people; otherwise missing people are unchanged
 */
export function lossesOf({ people, groups }: DirectoryAnswer, known: KnownContent, isWhole: boolean): Loss[] {
  const there = new Set(people.map(({ subject }) => subject));
  const had = known.people.filter(({ goneAt }) => goneAt === null);
  const gonePeople = isWhole ? had.filter(({ subject }) => !there.has(subject)) : [];
  const losses: Loss[] = [{ of: 'people', known: had.length, gone: gonePeople.length }];
  if (!groups) return losses;
  const hadGroups = known.groups.filter(({ goneAt }) => goneAt === null);
  const groupsThere = new Set(groups.map(({ subject }) => subject));
  const goneGroups = hadGroups.filter(({ subject }) => !groupsThere.has(subject));
  losses.push({ of: 'groups', known: hadGroups.length, gone: goneGroups.length });
  losses.push(lossOfMemberships({ people, groups }, { ...known, groups: hadGroups }));
  return losses;
}

/** Memberships of people and groups that still exist. */
function lossOfMemberships(
  { people, groups }: { people: DirectoryAnswer['people']; groups: NonNullable<DirectoryAnswer['groups']> },
  known: KnownContent,
): Loss {
  const placeOf = new Map(people.map(({ subject, place }) => [subject, place]));
  const uidAt = new Map(
    known.people.flatMap(({ subject, uid, place }) => {
      const now = placeOf.get(subject) ?? place;
      return now === null ? [] : [[now, uid] as const];
    }),
  );
  const gidOf = new Map(known.groups.map(({ subject, gid }) => [subject, gid]));
  const key = (gid: string, uid: string): string => JSON.stringify([gid, uid]);
  const after = new Set<string>();
  for (const [subject, uids] of peopleOfGroups(groups, uidAt))
    for (const uid of uids) after.add(key(gidOf.get(subject) ?? '', uid));
  const gids = new Set(gidOf.values());
  const before = known.memberships.filter(({ gid }) => gids.has(gid));
  const gone = before.filter(({ gid, uid }) => !after.has(key(gid, uid)));
  return { of: 'memberships', known: before.length, gone: gone.length };
}
