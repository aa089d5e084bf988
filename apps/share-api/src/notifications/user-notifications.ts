import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '#identity';
import { NotificationRepository, type PendingShareRow } from '#persistence';
import { CachedPolicy } from '#settings';
import { PublicAddress } from '#platform';
import type { Caller } from '#sharing';
import type { NotificationReference } from './notification-id';
import { pendingShareRecord, storedRecord, type NotificationRecord } from './notification-record';

/** Maximum of each kind; people do not read more. */
const MOST = 500;

/**
 * A user's notifications. Those about pending shares exist as long as the shares are pending: they disappear by themselves when a share is
 * accepted, declined, deleted or expired, or a membership ends.
 */
@Injectable()
export class UserNotifications {
  constructor(
    private readonly notifications: NotificationRepository,
    private readonly accounts: AccountDirectory,
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
  ) {}

  /** Newest first. */
  async list(caller: Caller): Promise<NotificationRecord[]> {
    const [pending, stored] = await Promise.all([
      this.isSharingEnabled().then((enabled) =>
        enabled ? this.notifications.pendingShares(caller.uid, caller.groups, MOST) : [],
      ),
      this.notifications.stored(caller.uid, MOST),
    ]);
    const entries = [
      ...(await this.pendingRecords(caller.uid, pending)).map((record, at) => ({
        record,
        at: pending[at]!.createdAt,
      })),
      ...stored.map((row) => ({
        record: storedRecord(caller.uid, row, this.address.url),
        at: row.createdAt,
      })),
    ];
    return entries.sort((one, other) => other.at.getTime() - one.at.getTime()).map(({ record }) => record);
  }

  async find(caller: Caller, { kind, id }: NotificationReference): Promise<NotificationRecord | undefined> {
    if (kind === 'stored') {
      const stored = await this.notifications.findStored(caller.uid, id);
      return stored && storedRecord(caller.uid, stored, this.address.url);
    }
    if (!(await this.isSharingEnabled())) return undefined;
    const share = await this.notifications.pendingShare(caller.uid, caller.groups, id);
    return share && (await this.pendingRecords(caller.uid, [share]))[0];
  }

  /** Dismisses the notification; the pending share stays. */
  async remove(caller: Caller, { kind, id }: NotificationReference): Promise<void> {
    if (kind === 'stored') return this.notifications.removeStored(caller.uid, id);
    if (await this.notifications.pendingShare(caller.uid, caller.groups, id))
      await this.notifications.dismissShare(caller.uid, id);
  }

  private async pendingRecords(
    uid: string,
    shares: readonly PendingShareRow[],
  ): Promise<NotificationRecord[]> {
    const accounts = await this.accounts.findMany(
      shares.flatMap((share) => [share.ownerUid, share.initiatorUid]),
    );
    const nameOf = (named: string): string => accounts.get(named)?.displayName ?? named;
    return shares.map((share) => pendingShareRecord(uid, share, nameOf, this.address.url));
  }

  private async isSharingEnabled(): Promise<boolean> {
    return (await this.policy.current()).apiEnabled;
  }
}
