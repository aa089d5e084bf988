import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { int8, text } from '../../postgres-types';
import { statement } from '../../statement';
import { NOTIFYING_APP, SHARE_REQUEST } from '../accounts/notified-objects';

/** Own nodes only: a received one is its owner's to share. */
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

/** Requests of people at partners to share something with them, which are notifications of the owner. */
@Injectable()
export class ShareRequestRepository {
  constructor(private readonly database: Database) {}

  /** Name of a node of the account; undefined where it has none with this id. */
  async nameOf(uid: string, nodeId: number): Promise<string | undefined> {
    return (await this.database.rows(NAME, { uid, nodeId }))[0]?.name;
  }

  /** Notifies the account, once for a node and a requester, unless `most` requests wait already. */
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
