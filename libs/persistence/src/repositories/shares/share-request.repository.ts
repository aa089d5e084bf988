import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { int8, text } from '../../postgres-types';
import { statement } from '../../statement';
import { NOTIFYING_APP, SHARE_REQUEST } from '../accounts/notified-objects';

/** Only own nodes, because the owner of a received node decides about it. */
const NAME = statement({
  name: 'share_request.name',
  params: { uid: text, nodeId: int8 },
  row: { name: text },
  sql: `SELECT name FROM node WHERE id = :nodeId AND owner_uid = :uid AND received_share_id IS NULL AND parent_id IS NOT NULL AND NOT starts_with(path, '~')`,
});
const TELL = statement({
  name: 'share_request.tell',
  params: { uid: text, objectId: text, subject: text, message: text, most: int8 },
  sql: `INSERT INTO notification (uid, app, object_type, object_id, subject, message)
   SELECT :uid, '${NOTIFYING_APP}', '${SHARE_REQUEST}', :objectId, :subject, :message
   WHERE (SELECT count(*) FROM notification WHERE uid = :uid AND app = '${NOTIFYING_APP}' AND object_type = '${SHARE_REQUEST}') < :most
   ON CONFLICT DO NOTHING`,
});

/** Requests of partners' users for shares; they are notifications of the owner. */
@Injectable()
export class ShareRequestRepository {
  constructor(private readonly database: Database) {}

  /** Name of a node of the account; undefined if it has none with this id. */
  async nameOf(uid: string, nodeId: number): Promise<string | undefined> {
    return (await this.database.rows(NAME, { uid, nodeId }))[0]?.name;
  }

  /** Notifies the account, once per node and requester, unless `most` requests wait already. */
  async tell(
    uid: string,
    request: {
      readonly nodeId: number;
      readonly requester: string;
      readonly subject: string;
      readonly message: string;
    },
    most: number,
  ): Promise<void> {
    const { nodeId, requester, subject, message } = request;
    await this.database.rows(TELL, { uid, objectId: `${nodeId}:${requester}`, subject, message, most });
  }
}
