import { Injectable } from '@nestjs/common';
import {
  ChangeFeed,
  ExternalGroupRepository,
  GroupRepository,
  type ExternalGroup,
  type Membership,
  type SourceName,
} from '#persistence';
import { ADMIN_GROUP } from '../account';
import { AccountDirectory } from '../account-directory';
import { candidates, groupIdFrom } from './free-name';
import type { GroupOfSource, IdentitySource } from './identity-source';

/**
 * Groups of sources, and their memberships. A membership that was made here, or that another source gives, too, is left
 * alone. Throws ProvisioningFailed.
 */
@Injectable()
export class SourceGroups {
  constructor(
    private readonly groups: GroupRepository,
    private readonly external: ExternalGroupRepository,
    private readonly directory: AccountDirectory,
    private readonly feed: ChangeFeed,
  ) {}

  async find(source: SourceName, subject: string): Promise<ExternalGroup | undefined> {
    return this.external.find(source, subject);
  }

  /** All groups of a source, in order of their ids there. */
  async list(source: SourceName): Promise<readonly ExternalGroup[]> {
    return this.external.list(source);
  }

  /**
   * The id of a group, which is made if it is new. A changed name at the source does not change it.
   * @returns undefined for a name that no group can have, and if all names like it are taken
   */
  async keep(source: IdentitySource, group: GroupOfSource): Promise<string | undefined> {
    const known = await this.external.find(source, group.subject);
    if (known) return known.gid;
    const wanted = groupIdFrom(group.name);
    if (wanted === '') return undefined;
    for (const gid of candidates(wanted)) {
      if (gid === ADMIN_GROUP) continue;
      const isMerged = gid === wanted && source.groupsOfSameName === 'merge';
      const made = await this.external.create(source, { subject: group.subject, gid }, isMerged);
      if (made === 'known') return (await this.external.find(source, group.subject))!.gid;
      if (made === 'created') {
        this.feed.announceLocally('group', gid);
        return gid;
      }
    }
    return undefined;
  }

  /** Removes a group of a source, and every share with it. @returns whether there was one */
  async remove(source: SourceName, subject: string): Promise<boolean> {
    const group = await this.external.find(source, subject);
    if (!group) return false;
    const members = await this.groups.members(group.gid);
    await this.groups.remove(group.gid);
    this.feed.announceLocally('group', group.gid);
    for (const uid of members) this.directory.changed(uid);
    return true;
  }

  /** Sets the groups that the source gives to an account; `admin` among them makes it an administrator. */
  async setGroupsOf(source: SourceName, uid: string, gids: readonly string[]): Promise<void> {
    await this.apply(
      source,
      await this.external.given(source, { uid }),
      gids.map((gid) => ({ gid, uid })),
    );
  }

  /** User ids of the members that the source gives to a group. */
  async membersOf(source: SourceName, gid: string): Promise<string[]> {
    return (await this.external.given(source, { gid })).map(({ uid }) => uid);
  }

  /** Sets the members that the source gives to a group. */
  async setMembersOf(source: SourceName, gid: string, uids: readonly string[]): Promise<void> {
    await this.apply(
      source,
      await this.external.given(source, { gid }),
      uids.map((uid) => ({ gid, uid })),
    );
  }

  /** Adds members that the source gives to a group, and ends others of its members. */
  async changeMembersOf(
    source: SourceName,
    gid: string,
    { joined, left }: { readonly joined: readonly string[]; readonly left: readonly string[] },
  ): Promise<void> {
    const before = await this.external.given(source, { gid });
    const stay = without(
      before,
      left.map((uid) => ({ gid, uid })),
    );
    await this.apply(source, before, [...stay, ...joined.map((uid) => ({ gid, uid }))]);
  }

  private async apply(
    source: SourceName,
    before: readonly Membership[],
    after: readonly Membership[],
  ): Promise<void> {
    const given = without(after, before);
    const taken = without(before, after);
    if (given.length === 0 && taken.length === 0) return;
    await this.external.change(source, { given, taken });
    for (const { uid } of [...given, ...taken]) this.directory.changed(uid);
  }
}

/** Memberships of the first list that are missing in the second. */
function without(list: readonly Membership[], other: readonly Membership[]): readonly Membership[] {
  const key = ({ gid, uid }: Membership): string => JSON.stringify([gid, uid]);
  const others = new Set(other.map(key));
  return [...new Map(list.map((membership) => [key(membership), membership])).values()].filter(
    (membership) => !others.has(key(membership)),
  );
}
