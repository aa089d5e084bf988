import { Injectable } from '@nestjs/common';
import type { OcsValue } from '#ocs/protocol';
import { GroupRecipientRepository, type GroupRecipient } from '#persistence';
import { mayManage, SHARE_TYPES, type Caller, type Share, type ShareView } from '#sharing';

/** Maximum of members in the record of a share; a separate call returns all of them. */
const SHOWN = 100;

/** A share's group members at partners, as its record shows them. */
export interface ShownMembers {
  readonly members: readonly GroupRecipient[];
  readonly total: number;
  readonly accepted: number;
  readonly ended: number;
}

/** Decisions of members at partners on a share with their group; for managers of the share. */
@Injectable()
export class GroupShareMembers {
  constructor(private readonly recipients: GroupRecipientRepository) {}

  /** @returns undefined if there are none, or the caller does not manage the share */
  async shownOf({ share }: ShareView, caller: Caller): Promise<ShownMembers | undefined> {
    if (!this.mayRead(share, caller)) return undefined;
    const members = await this.recipients.list(share.id, '', SHOWN);
    if (members.length === 0) return undefined;
    return { members, ...(await this.recipients.count(share.id)) };
  }

  /** Members behind `after`; none for callers who do not manage the share. */
  async list({ share }: ShareView, caller: Caller, after: string, limit: number): Promise<GroupRecipient[]> {
    return this.mayRead(share, caller) ? this.recipients.list(share.id, after, limit) : [];
  }

  private mayRead(share: Share, caller: Caller): boolean {
    return share.type === SHARE_TYPES.group && mayManage(share, caller.uid);
  }
}

/** A member for records; `state` is that of the delivery, or how the member ended the share. */
export const memberRecord = (member: GroupRecipient): Readonly<Record<string, OcsValue>> => ({
  id: member.canonical,
  share_with: member.recipient,
  delivery_state: member.deliveryState,
  delivery_error: member.deliveryError,
  acceptance: member.acceptance,
  reason: member.reason,
});
