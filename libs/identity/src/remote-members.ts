import { Injectable } from '@nestjs/common';
import { CloudIdInvalid, localCloudId, parseCloudId, peerKeyOf } from '#federation/protocol';
import { RemoteMemberRepository, type NewRemoteMember, type RemoteMember } from '#persistence';
import { PublicAddress } from '#platform';
import { ADMIN_GROUP } from './account';
import { ProvisioningFailed } from './provisioning-failed';
import { UserGroups } from './user-groups';

/** Maximum of members that one call adds or removes. */
export const MOST_MEMBERS = 1000;

/** Accounts of partners in groups of this server. Callers check permissions before. Throws ProvisioningFailed. */
@Injectable()
export class RemoteMembers {
  constructor(
    private readonly groups: UserGroups,
    private readonly members: RemoteMemberRepository,
    private readonly address: PublicAddress,
  ) {}

  /** Members behind `after`, in the order of their ids. */
  async list(gid: string, after: string, limit: number): Promise<RemoteMember[]> {
    await this.assertExists(gid);
    return this.members.list(gid, after, limit);
  }

  /** @returns the number of new members */
  async add(gid: string, cloudIds: readonly string[]): Promise<number> {
    await this.assertExists(gid);
    if (gid === ADMIN_GROUP)
      throw new ProvisioningFailed('group-protected', 'Administrators have accounts of this server');
    return this.members.add(gid, this.read(cloudIds));
  }

  /** @returns the number of removed members */
  async remove(gid: string, cloudIds: readonly string[]): Promise<number> {
    await this.assertExists(gid);
    return this.members.remove(
      gid,
      this.read(cloudIds).map(({ canonical }) => canonical),
    );
  }

  private read(cloudIds: readonly string[]): NewRemoteMember[] {
    if (cloudIds.length === 0 || cloudIds.length > MOST_MEMBERS)
      throw new ProvisioningFailed('user-id-refused', `A call names 1 to ${MOST_MEMBERS} members`);
    return cloudIds.map((text) => this.readOne(text));
  }

  private readOne(text: string): NewRemoteMember {
    try {
      const cloudId = parseCloudId(text);
      const hostKey = peerKeyOf(cloudId);
      if (hostKey === peerKeyOf(localCloudId('anybody', this.address.url)))
        throw new ProvisioningFailed('user-id-refused', `${text} is an account of this server`);
      return { cloudId: cloudId.raw.replace(/\/+$/, ''), canonical: cloudId.canonical, hostKey };
    } catch (error) {
      if (!(error instanceof CloudIdInvalid)) throw error;
      throw new ProvisioningFailed('user-id-refused', `${text.slice(0, 512)} is no federated cloud id`);
    }
  }

  private async assertExists(gid: string): Promise<void> {
    if (!(await this.groups.exists(gid)))
      throw new ProvisioningFailed('group-unknown', 'The requested group could not be found');
  }
}
