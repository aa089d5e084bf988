import type { DirectoryGroup } from './directory-content';

/**
 * People of each group, including those of nested groups, at any depth and in circles.
 * @param uidAt user ids by place
 * @returns user ids by the ids of groups in the directory
 */
export function peopleOfGroups(
  groups: readonly DirectoryGroup[],
  uidAt: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const groupAt = new Map(groups.map((group) => [group.place, group]));
  return new Map(groups.map((group) => [group.subject, peopleBelow(group, groupAt, uidAt)]));
}

function peopleBelow(
  top: DirectoryGroup,
  groupAt: ReadonlyMap<string, DirectoryGroup>,
  uidAt: ReadonlyMap<string, string>,
): string[] {
  const seen = new Set([top]);
  const people = new Set<string>();
  // Groups that are found on the way are appended, and the loop reaches them later.
  for (const { members } of seen)
    for (const place of members) {
      const uid = uidAt.get(place);
      if (uid !== undefined) people.add(uid);
      const group = groupAt.get(place);
      if (group) seen.add(group);
    }
  return [...people];
}
