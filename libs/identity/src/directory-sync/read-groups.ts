import type { ExternalGroupRepository } from '#persistence';
import { ADMIN_GROUP } from '../account';
import type { IdentitySource } from '../directories/identity-source';
import type { SourceGroups } from '../directories/source-groups';
import type { DirectoryGroup } from './directory-content';
import { peopleOfGroups } from './people-of-groups';

/** Groups of a read directory, and their members. */
export class ReadGroups {
  /** @param adminGroups names of groups whose members are administrators */
  constructor(
    private readonly source: IdentitySource,
    private readonly adminGroups: readonly string[],
    private readonly groups: SourceGroups,
    private readonly external: ExternalGroupRepository,
  ) {}

  /**
   * Makes groups and sets their members.
   * @param groups all groups of the directory; undefined: they have not changed
   * @param uidAt user ids by place
   * @returns the number of groups that got no group here
   */
  async keep(
    groups: readonly DirectoryGroup[] | undefined,
    uidAt: ReadonlyMap<string, string>,
  ): Promise<number> {
    if (!groups) return 0;
    const known = new Map((await this.external.list(this.source)).map((group) => [group.subject, group]));
    const people = peopleOfGroups(groups, uidAt);
    const admins = new Set<string>();
    let refused = 0;
    for (const group of groups) {
      const uids = people.get(group.subject) ?? [];
      if (this.adminGroups.includes(group.name)) for (const uid of uids) admins.add(uid);
      const gid = await this.groups.keep(this.source, group);
      if (gid === undefined) refused++;
      else await this.groups.setMembersOf(this.source, gid, uids);
      if (known.get(group.subject)?.goneAt) await this.external.noteGone(this.source, group.subject, null);
    }
    await this.groups.setMembersOf(this.source, ADMIN_GROUP, [...admins]);
    return refused;
  }

  /** Empties groups that have disappeared, and removes them with their shares after the grace period of accounts. */
  async removeGone(groups: readonly DirectoryGroup[] | undefined): Promise<void> {
    if (!groups) return;
    const there = new Set(groups.map(({ subject }) => subject));
    for (const { subject, gid, goneAt } of await this.external.list(this.source)) {
      if (there.has(subject) || goneAt) continue;
      await this.groups.setMembersOf(this.source, gid, []);
      await this.external.noteGone(this.source, subject, new Date());
    }
    for (const subject of await this.external.gone(this.source))
      await this.groups.remove(this.source, subject);
  }
}
