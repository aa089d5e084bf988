import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '#identity';
import { NotificationRepository, type PendingShareRow } from '#persistence';
import type { Language } from '#pages';
import { CachedPolicy } from '#settings';
import { PublicAddress } from '#platform';
import type { Caller } from '#sharing';
import { ReceivedShares } from '#storage';
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
    private readonly received: ReceivedShares,
    private readonly accounts: AccountDirectory,
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
  ) {}

  /** Newest first. */
  async list(caller: Caller, language: Language): Promise<NotificationRecord[]> {
    const [pending, stored] = await Promise.all([
      this.pendingShares(caller),
      this.notifications.stored(caller.uid, MOST),
    ]);
    const entries = [
      ...(await this.pendingRecords(caller.uid, pending, language)).map((record, at) => ({
        record,
        at: pending[at]!.createdAt,
      })),
      ...stored.map((row) => ({
        record: storedRecord(caller.uid, row, this.address.url, language),
        at: row.createdAt,
      })),
    ];
    return entries.sort((one, other) => other.at.getTime() - one.at.getTime()).map(({ record }) => record);
  }

  async find(
    caller: Caller,
    { kind, id }: NotificationReference,
    language: Language,
  ): Promise<NotificationRecord | undefined> {
    if (kind === 'stored') {
      const stored = await this.notifications.findStored(caller.uid, id);
      return stored && storedRecord(caller.uid, stored, this.address.url, language);
    }
    const shares = await this.pendingShares(caller, id);
    return (await this.pendingRecords(caller.uid, shares, language))[0];
  }

  /** Dismisses the notification; the pending share stays. */
  async remove(caller: Caller, { kind, id }: NotificationReference): Promise<void> {
    if (kind === 'stored') return this.notifications.removeStored(caller.uid, id);
    const [share] = await this.pendingShares(caller, id);
    if (share) await this.notifications.dismissShare(caller.uid, id);
  }

  private async pendingRecords(
    uid: string,
    shares: readonly PendingShareRow[],
    language: Language,
  ): Promise<NotificationRecord[]> {
    const accounts = await this.accounts.findMany(
      shares.flatMap((share) => [share.ownerUid, share.initiatorUid]),
    );
    const nameOf = (named: string): string => accounts.get(named)?.displayName ?? named;
    return shares.map((share) => pendingShareRecord(uid, share, nameOf, this.address.url, language));
  }

  /** A member's own row of a share with a group decides whether it is pending, so missing rows are made first. */
  private async pendingShares({ uid, groups }: Caller, id?: number): Promise<PendingShareRow[]> {
    if (!(await this.policy.current()).apiEnabled) return [];
    await this.received.place(uid);
    return this.notifications.pendingShares(uid, groups, MOST, id);
  }
}
