import type { OcsValue } from '#ocs/protocol';
import {
  ENDED_SHARE,
  REMOTE_SHARE,
  SHARE_REQUEST,
  type PendingShareRow,
  type StoredNotification,
} from '#persistence';
import type { Language } from '#pages';
import { phrase, translated } from '#sharing';
import { notificationNumber } from './notification-id';

export type NotificationRecord = Readonly<Record<string, OcsValue>>;

const REMOTE_SHARES = '/ocs/v1.php/apps/files_sharing/api/v1/remote_shares/pending/';
const ENDED_SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/ended_shares/';
const PENDING_SHARES = '/ocs/v1.php/apps/files_sharing/api/v1/shares/pending/';

/** A share that waits for a decision, with the two calls for deciding. Source: ocs-facts 14. */
export function pendingShareRecord(
  uid: string,
  share: PendingShareRow,
  nameOf: (uid: string) => string,
  publicUrl: string,
  language: Language,
): NotificationRecord {
  const link = `${publicUrl}${PENDING_SHARES}${share.shareId}`;
  const words = { sharer: nameOf(share.initiatorUid), name: share.nodeName };
  const subject =
    share.ownerUid === share.initiatorUid
      ? phrase('pending', words)
      : phrase('pendingOnBehalf', { ...words, owner: nameOf(share.ownerUid) });
  return {
    notification_id: notificationNumber({ kind: 'pending-share', id: share.shareId }),
    app: 'files_sharing',
    user: uid,
    datetime: instant(share.createdAt),
    object_type: 'local_share',
    object_id: `ocinternal:${share.shareId}`,
    subject: translated(subject, language),
    message: '',
    link: '',
    actions: decisions(link, language),
  };
}

/** @param publicUrl base of the calls for a pending federated share */
export function storedRecord(
  uid: string,
  stored: StoredNotification,
  publicUrl: string,
  language: Language,
): NotificationRecord {
  return {
    notification_id: notificationNumber({ kind: 'stored', id: stored.id }),
    app: stored.app,
    user: uid,
    datetime: instant(stored.createdAt),
    object_type: stored.objectType,
    object_id: stored.objectId,
    subject: translated(stored.subject, language),
    message: translated(stored.message, language),
    link: linkOf(stored, publicUrl),
    actions:
      stored.objectType === REMOTE_SHARE
        ? decisions(`${publicUrl}${REMOTE_SHARES}${stored.objectId}`, language)
        : [],
  };
}

/** Address at which the object can be read; empty for none. */
function linkOf({ objectType, objectId }: StoredNotification, publicUrl: string): string {
  if (objectType === ENDED_SHARE) return `${publicUrl}${ENDED_SHARES}${objectId}`;
  // The id of the node comes first.
  return objectType === SHARE_REQUEST ? `${publicUrl}/f/${objectId.split(':', 1)[0]!}` : '';
}

/** The two calls that decide about the share. */
const decisions = (link: string, language: Language): OcsValue => [
  { label: translated(phrase('accept', {}), language), link, type: 'POST', primary: true },
  { label: translated(phrase('decline', {}), language), link, type: 'DELETE', primary: false },
];

/** A time with a numeric offset, as clients have always received it: `2030-01-31T12:00:00+00:00`. */
const instant = (date: Date): string => `${date.toISOString().slice(0, 19)}+00:00`;
