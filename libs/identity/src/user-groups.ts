import { Injectable } from '@nestjs/common';
import { ChangeFeed, ExternalGroupRepository, FreshCache, GroupRepository } from '#persistence';
import { ADMIN_GROUP } from './account';
import { AccountDirectory } from './account-directory';
import { parseGroupId } from './account-rules';
import { membersKeptElsewhere } from './directories/managed-fields';
import { ProvisioningFailed, unlessLastAdministrator } from './provisioning-failed';
import { UserAccounts } from './user-accounts';

const REMEMBERED_GROUPS = 20_000;
const EXISTS = {};
/** Deployed servers have a text of their own for the calls about subadmins. */
const NO_SUCH_SUBADMIN = 'User does not exist';

/** Administration of groups. Callers check permissions before. Throws ProvisioningFailed. */
@Injectable()
export class UserGroups {
  private readonly remembered: FreshCache<typeof EXISTS>;

  constructor(
    private readonly groups: GroupRepository,
    private readonly external: ExternalGroupRepository,
    private readonly users: UserAccounts,
    private readonly directory: AccountDirectory,
    private readonly feed: ChangeFeed,
  ) {
    this.remembered = new FreshCache(feed, { max: REMEMBERED_GROUPS, topic: 'group' });
  }

  async exists(gid: string): Promise<boolean> {
    return this.groups.exists(gid);
  }

  /** The same from memory, under the rule of freshness: for new shares, whose statement looks for the group again. */
  async isKnown(gid: string): Promise<boolean> {
    const known = await this.remembered.read(gid, async () =>
      (await this.groups.exists(gid)) ? EXISTS : undefined,
    );
    return known !== undefined;
  }

  async create(gid: string): Promise<void> {
    if (!(await this.groups.insert(parseGroupId(gid))))
      throw new ProvisioningFailed('group-exists', 'group exists');
  }

  /** Removes the group and every share with it. */
  async remove(gid: string): Promise<void> {
    await this.assertExists(gid);
    if (gid === ADMIN_GROUP)
      throw new ProvisioningFailed('group-protected', 'The admin group can not be removed');
    if (await this.external.isExternal(gid))
      throw new ProvisioningFailed('managed-elsewhere', `The group ${gid} is removed at its source`);
    const members = await this.groups.remove(gid);
    this.feed.announceLocally('group', gid);
    for (const uid of members) this.directory.changed(uid);
  }

  /** Group ids in order; `within` limits the list to these. */
  async list(
    search = '',
    limit: number | null = null,
    offset = 0,
    within: readonly string[] | null = null,
  ): Promise<string[]> {
    return this.groups.list(search, limit, offset, within);
  }

  async members(gid: string): Promise<string[]> {
    await this.assertExists(gid);
    return this.groups.members(gid);
  }

  /** Ids of the group's administrators, in order. */
  async subadmins(gid: string): Promise<string[]> {
    await this.assertExists(gid, 'Group does not exist');
    return this.groups.subadmins(gid);
  }

  async join(gid: string, uid: string): Promise<void> {
    await this.assertExists(gid);
    const account = await this.users.get(uid);
    if (await this.external.isExternal(gid)) throw membersKeptElsewhere(gid);
    if (!(await this.groups.addMember(gid, account.uid))) await this.throwGone(gid);
    this.directory.changed(account.uid);
  }

  async leave(gid: string, uid: string): Promise<void> {
    await this.assertExists(gid);
    const account = await this.users.get(uid);
    if (!(await unlessLastAdministrator(() => this.groups.removeMember(gid, account.uid))))
      throw membersKeptElsewhere(gid);
    this.directory.changed(account.uid);
  }

  async addSubadmin(gid: string, uid: string): Promise<void> {
    const account = await this.users.get(uid, NO_SUCH_SUBADMIN);
    if (!(await this.groups.exists(gid)))
      throw new ProvisioningFailed('group-unknown', `Group:${gid} does not exist`);
    if (gid === ADMIN_GROUP)
      throw new ProvisioningFailed('group-protected', 'Cannot create subadmins for admin group');
    if (!(await this.groups.addSubadmin(gid, account.uid))) await this.throwGone(gid);
    this.directory.changed(account.uid);
  }

  async removeSubadmin(gid: string, uid: string): Promise<void> {
    const account = await this.users.get(uid, NO_SUCH_SUBADMIN);
    if (!(await this.groups.removeSubadmin(gid, account.uid)))
      throw new ProvisioningFailed('not-subadmin', 'User is not a subadmin of this group');
    this.directory.changed(account.uid);
  }

  /** The group or the account was deleted during the call. */
  private async throwGone(gid: string): Promise<never> {
    await this.assertExists(gid);
    throw new ProvisioningFailed('user-unknown', 'The requested user could not be found');
  }

  private async assertExists(gid: string, message = 'The requested group could not be found'): Promise<void> {
    if (!(await this.groups.exists(gid))) throw new ProvisioningFailed('group-unknown', message);
  }
}
