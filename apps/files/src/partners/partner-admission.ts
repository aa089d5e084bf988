import { Injectable } from '@nestjs/common';
import { hostOfAddress } from '#federation/protocol';
import { AccountDirectory, CallLimits } from '#identity';
import type { PartnerShareRow } from '#persistence';
import { CachedPolicy } from '#settings';
import { suspensionOf } from '#sharing';
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

  /** @throws AccessSuspended, BudgetSpent */
  async admit(share: PartnerShareRow): Promise<void> {
    await this.limits.access(
      share.hostKey === null ? `share ${share.shareId}` : hostOfAddress(share.hostKey),
    );
    const policy = this.policy.peek() ?? (await this.policy.current());
    const asksForGroups = policy.excludedGroups.length > 0;
    const initiator = asksForGroups ? await this.accounts.find(share.initiatorUid) : undefined;
    const suspension = suspensionOf(policy, { ...share, initiatorGroups: initiator?.groups ?? [] });
    if (suspension !== undefined) throw new AccessSuspended(suspension);
  }
}
