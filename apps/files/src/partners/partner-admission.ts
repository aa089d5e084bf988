import { Injectable } from '@nestjs/common';
import { hostOfAddress } from '#federation/protocol';
import { AccountDirectory, CallLimits } from '#identity';
import type { PartnerShareRow } from '#persistence';
import { CachedPolicy } from '#settings';
import { grantedToPartner } from '#sharing';
import { AccessSuspended } from './access-suspended';

/**
 * Checks of every partner's request for the content of a share: the one place for limits of these
 * requests.
 */
@Injectable()
export class PartnerAdmission {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly accounts: AccountDirectory,
    private readonly limits: CallLimits,
  ) {}

  /** @returns a mask over the permissions of the share @throws AccessSuspended, BudgetSpent */
  async admit(share: PartnerShareRow): Promise<number> {
    await this.limits.access(
      share.hostKey === null ? `share ${share.shareId}` : hostOfAddress(share.hostKey),
    );
    const policy = this.policy.peek() ?? (await this.policy.current());
    const asksForGroups = policy.excludedGroups.length > 0;
    const initiator = asksForGroups ? await this.accounts.find(share.initiatorUid) : undefined;
    const granted = grantedToPartner(policy, { ...share, initiatorGroups: initiator?.groups ?? [] });
    if (typeof granted === 'string') throw new AccessSuspended(granted);
    return granted;
  }
}
