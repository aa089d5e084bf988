import type { AccountRepository } from '#persistence';
import { mayShare, type PolicySource } from '#sharing';
import type { VisibleNode } from '../tree/visible-node';

/** Decides by the settings of the instance which nodes a user may share. */
export class SharingRights {
  constructor(
    private readonly policy: PolicySource,
    private readonly accounts: Pick<AccountRepository, 'find'>,
  ) {}

  /** Reads the user's groups only where a setting excludes some. */
  async of(uid: string): Promise<(node: Pick<VisibleNode, 'isReceived'>) => boolean> {
    const policy = await this.policy.current();
    const groups = policy.excludedGroups.length === 0 ? [] : (await this.accounts.find(uid))?.groups;
    const isSharer = mayShare(policy, groups ?? []);
    return ({ isReceived }) => isSharer && (policy.resharing || !isReceived);
  }
}
