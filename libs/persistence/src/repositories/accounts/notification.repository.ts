import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { statement } from '../../statement';
import { REMOTE_SHARE } from '../shares/received-share-notice.repository';
import { ALIVE } from '../shares/share-row';

/** A received share that waits to be accepted. */
export interface PendingShareRow {
  readonly shareId: number;
  readonly nodeName: string;
  readonly ownerUid: string;
  readonly initiatorUid: string;
  readonly createdAt: Date;
}

/** A notification that follows from nothing else. */
export interface StoredNotification {
  readonly id: number;
  readonly app: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly subject: string;
  readonly message: string;
  readonly createdAt: Date;
}

const COLUMNS = `s.id AS "shareId", n.name AS "nodeName", s.owner_uid AS "ownerUid", s.initiator_uid AS "initiatorUid",
  s.created_at AS "createdAt"`;
const TELLING = `s.share_type IN (0, 1) AND s.owner_uid <> $1 AND s.initiator_uid <> $1 AND s.permissions > 0 AND ${ALIVE}
  AND NOT EXISTS (SELECT FROM share_notice_dismissed d WHERE d.uid = $1 AND d.share_id = s.id)`;

/** The user's own rows, and shares of their groups that have no personal row yet; $3 limits it to one share. */
const PENDING = statement<PendingShareRow>(
  'notification.pending_shares',
  `SELECT ${COLUMNS} FROM share_recipient r JOIN share s ON s.id = r.share_id JOIN node n ON n.id = s.node_id
   WHERE r.uid = $1 AND r.state = 1 AND (s.share_type = 0 OR s.recipient_canonical = ANY($2::text[]))
     AND ($3::bigint IS NULL OR r.share_id = $3) AND ${TELLING}
   UNION ALL
   SELECT ${COLUMNS} FROM share s JOIN node n ON n.id = s.node_id
   WHERE s.share_type = 1 AND s.recipient_canonical = ANY($2::text[]) AND s.initial_state = 1
     AND ($3::bigint IS NULL OR s.id = $3) AND ${TELLING}
     AND NOT EXISTS (SELECT FROM share_recipient r WHERE r.share_id = s.id AND r.uid = $1)
   ORDER BY "shareId" DESC LIMIT $4`,
);
const DISMISS = statement(
  'notification.dismiss_share',
  `INSERT INTO share_notice_dismissed (uid, share_id) SELECT $1, id FROM share WHERE id = $2 AND share_type IN (0, 1)
   ON CONFLICT DO NOTHING`,
);
/** A federated share that expired while it was pending is nothing to decide on any more. */
const STORED = statement<StoredNotification>(
  'notification.stored',
  `SELECT id, app, object_type AS "objectType", object_id AS "objectId", subject, message, created_at AS "createdAt"
   FROM notification WHERE uid = $1 AND ($2::bigint IS NULL OR id = $2)
     AND CASE WHEN object_type = '${REMOTE_SHARE}' THEN EXISTS (
       SELECT FROM received_share r WHERE r.id = object_id::bigint AND (r.expires_at IS NULL OR r.expires_at > now())
     ) ELSE true END
   ORDER BY id DESC LIMIT $3`,
);
const REMOVE = statement('notification.remove', 'DELETE FROM notification WHERE uid = $1 AND id = $2');

/** Notifications of users. Pending shares are read from the shares: a share with thousands of people writes nothing. */
@Injectable()
export class NotificationRepository {
  constructor(private readonly database: Database) {}

  /** The user's pending shares whose notification they have not dismissed, newest first. */
  pendingShares(uid: string, groups: readonly string[], limit: number): Promise<PendingShareRow[]> {
    return this.database.rows(PENDING, [uid, groups, null, limit]);
  }

  async pendingShare(
    uid: string,
    groups: readonly string[],
    shareId: number,
  ): Promise<PendingShareRow | undefined> {
    return (await this.database.rows(PENDING, [uid, groups, shareId, 1]))[0];
  }

  async dismissShare(uid: string, shareId: number): Promise<void> {
    await this.database.rows(DISMISS, [uid, shareId]);
  }

  /** Stored notifications of the user, newest first. */
  stored(uid: string, limit: number): Promise<StoredNotification[]> {
    return this.database.rows(STORED, [uid, null, limit]);
  }

  async findStored(uid: string, id: number): Promise<StoredNotification | undefined> {
    return (await this.database.rows(STORED, [uid, id, 1]))[0];
  }

  async removeStored(uid: string, id: number): Promise<void> {
    await this.database.rows(REMOVE, [uid, id]);
  }
}
