import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  ChangeFeed,
  ExternalGroupRepository,
  GroupRepository,
  type ExternalGroup,
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
    this.removed(group.gid, await this.groups.remove(group.gid));
    return true;
  }

  /** Forgets what memory has about a group that is removed now, and about its members. */
  removed(gid: string, members: readonly string[]): void {
    this.feed.announceLocally('group', gid);
    for (const uid of members) this.directory.changed(uid);
  }

  /** User ids of the members that the source gives to a group. */
  async membersOf(source: SourceName, gid: string): Promise<string[]> {
    return this.external.given(source, { gid });
  }

  /** Sets the members that the source gives to a group; those of `admin` are administrators. */
  async setMembersOf(source: SourceName, gid: string, uids: readonly string[]): Promise<void> {
    const before = new Set(await this.external.given(source, { gid }));
    if (isDeepStrictEqual(before, new Set(uids))) return;
    const changed = await this.external.change(source, { gid }, { joined: uids, left: 'others' });
    for (const { uid } of changed) this.directory.changed(uid);
  }
}
