import { PLACED_HERE } from '../shares/kind-sql';
import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { NotificationEntity } from '../../entities/accounts/notification.entity';
import { array, int8, nullable, type RowOf, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { REMOTE_SHARE } from './notified-objects';
import { givesAccess } from '../files/mount-sql';

/** A received share that waits to be accepted. */
const PENDING_SHARE_ROW = {
  shareId: int8,
  nodeName: text,
  ownerUid: text,
  initiatorUid: text,
  createdAt: timestamptz,
};
export type PendingShareRow = RowOf<typeof PENDING_SHARE_ROW>;

/** A notification that is stored, not computed. */
const STORED_NOTIFICATION = {
  id: int8,
  app: text,
  objectType: text,
  objectId: text,
  subject: text,
  message: text,
  createdAt: timestamptz,
};
export type StoredNotification = RowOf<typeof STORED_NOTIFICATION>;

const COLUMNS = `s.id AS "shareId", n.name AS "nodeName", s.owner_uid AS "ownerUid", s.initiator_uid AS "initiatorUid",
  s.created_at AS "createdAt"`;
const TELLING = `s.share_type IN ${PLACED_HERE} AND s.owner_uid <> :uid AND s.initiator_uid <> :uid AND ${givesAccess('n')}
  AND NOT EXISTS (SELECT FROM share_notice_dismissed d WHERE d.uid = :uid AND d.share_id = s.id)`;

/** By the user's own rows; `shareId` limits them to one share. */
const PENDING = statement({
  name: 'notification.pending_shares',
  params: { uid: text, groups: array(text), shareId: nullable(int8), limit: int8 },
  row: PENDING_SHARE_ROW,
  sql: `SELECT ${COLUMNS} FROM share_recipient r JOIN share s ON s.id = r.share_id JOIN node n ON n.id = s.node_id
   WHERE r.uid = :uid AND r.state = 1 AND (s.share_type = ${SHARE_TYPES.user} OR s.recipient_canonical = ANY(:groups::text[]))
     AND (:shareId::bigint IS NULL OR r.share_id = :shareId) AND ${TELLING}
   ORDER BY s.id DESC LIMIT :limit`,
});
const DISMISS = statement({
  name: 'notification.dismiss_share',
  params: { uid: text, shareId: int8 },
  sql: `INSERT INTO share_notice_dismissed (uid, share_id) SELECT :uid, id FROM share WHERE id = :shareId AND share_type IN ${PLACED_HERE}
   ON CONFLICT DO NOTHING`,
});
/** A federated share that expired while it was pending is left out: there is nothing to decide. */
const STORED = statement({
  name: 'notification.stored',
  params: { uid: text, id: nullable(int8), limit: int8 },
  row: STORED_NOTIFICATION,
  sql: `SELECT id, app, object_type AS "objectType", object_id AS "objectId", subject, message, created_at AS "createdAt"
   FROM notification WHERE uid = :uid AND (:id::bigint IS NULL OR id = :id)
     AND CASE WHEN object_type = '${REMOTE_SHARE}' THEN EXISTS (
       SELECT FROM received_share r WHERE r.id = object_id::bigint AND (r.expires_at IS NULL OR r.expires_at > now())
     ) ELSE true END
   ORDER BY id DESC LIMIT :limit`,
});
/** Notifications of users. Those about pending shares are computed from the shares, so a share with thousands of people writes none. */
@Injectable()
export class NotificationRepository {
  constructor(private readonly database: Database) {}

  /**
   * The user's pending shares whose notification they have not dismissed, newest first. Shares with their groups need a row of the user.
   * @param shareId only this share
   */
  pendingShares(
    uid: string,
    groups: readonly string[],
    limit: number,
    shareId: number | null = null,
  ): Promise<PendingShareRow[]> {
    return this.database.rows(PENDING, { uid, groups, shareId, limit });
  }

  async dismissShare(uid: string, shareId: number): Promise<void> {
    await this.database.rows(DISMISS, { uid, shareId });
  }

  /** Stored notifications of the user, newest first. */
  stored(uid: string, limit: number): Promise<StoredNotification[]> {
    return this.database.rows(STORED, { uid, id: null, limit });
  }

  async findStored(uid: string, id: number): Promise<StoredNotification | undefined> {
    return (await this.database.rows(STORED, { uid, id, limit: 1 }))[0];
  }

  async removeStored(uid: string, id: number): Promise<void> {
    await this.database.write(NotificationEntity, (notifications) => notifications.delete({ uid, id }));
  }
}
