import type { Queryable } from '../../database';
import { text } from '../../postgres-types';
import { statement } from '../../statement';
import { NOTIFYING_APP, REMOTE_SHARE } from '../accounts/notified-objects';

const REMOVE = statement({
  name: 'received_share_notice.remove',
  params: { recipientUid: text, receivedShareId: text },
  sql: `DELETE FROM notification WHERE uid = :recipientUid AND app = '${NOTIFYING_APP}' AND object_type = '${REMOTE_SHARE}' AND object_id = :receivedShareId`,
});

/** Notifications about federated shares that wait for a decision; written in the transaction that changes the share. */
export class ReceivedShareNoticeRepository {
  constructor(private readonly transaction: Queryable) {}

  /** Does nothing if the user dismissed it. */
  async remove(recipientUid: string, receivedShareId: number): Promise<void> {
    await this.transaction.rows(REMOVE, { recipientUid, receivedShareId: String(receivedShareId) });
  }
}
