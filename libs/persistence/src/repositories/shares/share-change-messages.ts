import { Injectable } from '@nestjs/common';
import type { PermissionsPayload } from '#federation/delivery';
import type { Queryable } from '../../database';
import { OutboxRepository, type NewMessage } from '../deliveries/outbox.repository';
import { TOUCH_FEDERATED, type TouchedShareRow } from './share-write-statements';

/** Tells partners of permissions of a federated share that changed, in the transaction that changes them. */
@Injectable()
export class ShareChangeMessages {
  constructor(private readonly outbox: OutboxRepository) {}

  /** Tells the share's recipient and its requester of a change made here. */
  async notifyAll(transaction: Queryable, shareId: number, permissions: number): Promise<void> {
    const [touched] = await transaction.rows(TOUCH_FEDERATED, { shareId });
    if (!touched) return;
    await this.outbox.write(transaction, toRecipient(shareId, touched, permissions));
    const message = toRequester(shareId, touched, permissions);
    if (message) await this.outbox.write(transaction, message);
  }

  /** Its recipient's server learns what was changed by whoever asked for the share. */
  async notifyRecipient(transaction: Queryable, shareId: number, permissions: number): Promise<void> {
    const [touched] = await transaction.rows(TOUCH_FEDERATED, { shareId });
    if (touched) await this.outbox.write(transaction, toRecipient(shareId, touched, permissions));
  }
}

/** To the recipient's server, or to that of the owner which made the share. */
function toRecipient(id: number, touched: TouchedShareRow, permissions: number): NewMessage {
  const { peer_id: peerId, revision, recipient: grantee } = touched;
  const about = { subject: { type: 'share', id }, peerId, revision } as const;
  if (touched.granted_id === null) {
    const payload: PermissionsPayload = { providerId: String(id), grantee, permissions };
    return { ...about, kind: 'share-permissions', payload, sealedSecret: touched.token_enc };
  }
  const payload: PermissionsPayload = { providerId: touched.granted_id, grantee, permissions };
  return { ...about, kind: 'reshare-permissions', payload, sealedSecret: touched.granted_token_enc };
}

function toRequester(id: number, touched: TouchedShareRow, permissions: number): NewMessage | undefined {
  const { requester_peer_id: peerId, requester_share_id: providerId, recipient: grantee } = touched;
  if (peerId === null || providerId === null) return undefined;
  const payload: PermissionsPayload = { providerId, grantee, permissions };
  const about = { subject: { type: 'reshare', id }, peerId, revision: touched.revision } as const;
  return { ...about, kind: 'reshare-permissions', payload, sealedSecret: touched.token_enc };
}
