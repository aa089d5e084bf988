import type { Queryable } from '../database';
import { statement } from '../statement';

const APP = 'files_sharing';
/** Object type under which clients know received federated shares. */
export const REMOTE_SHARE = 'remote_share';

const WRITE = statement(
  'received_share_notice.write',
  `INSERT INTO notification (uid, app, object_type, object_id, subject) VALUES ($1, '${APP}', '${REMOTE_SHARE}', $2, $3)
   ON CONFLICT DO NOTHING`,
);
const REMOVE = statement(
  'received_share_notice.remove',
  `DELETE FROM notification WHERE uid = $1 AND app = '${APP}' AND object_type = '${REMOTE_SHARE}' AND object_id = $2`,
);

/** What users are told of federated shares that wait for them; in the transaction that changes the share. */
export class ReceivedShareNoticeRepository {
  constructor(private readonly transaction: Queryable) {}

  async write(recipientUid: string, receivedShareId: number, subject: string): Promise<void> {
    await this.transaction.rows(WRITE, [recipientUid, String(receivedShareId), subject]);
  }

  /** Does nothing where the user dismissed it, or was never told. */
  async remove(recipientUid: string, receivedShareId: number): Promise<void> {
    await this.transaction.rows(REMOVE, [recipientUid, String(receivedShareId)]);
  }
}
