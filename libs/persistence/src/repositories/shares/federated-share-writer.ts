import { MESSAGES, type MessageKind, type OfferPayload } from '#federation/delivery';
import type { SecretBox } from '#platform';
import {
  SHARE_TYPES,
  type FederatedShare,
  type InsertRefusal,
  type NewFederatedShare,
  type OfferedShare,
  type ShareChange,
} from '#sharing';
import { violatesForeignKey, type Database, type Queryable } from '../../database';
import { OutboxRepository } from '../deliveries/outbox.repository';
import { PeerRepository } from '../partners/peer.repository';
import { INSERT_RESHARE } from './reshare-statements';
import { ShareChangeMessages } from './share-change-messages';
import * as sql from './share-statements';

const OFFER = 'share-create';
const REQUEST = 'reshare-request';

/** A federated share as it is stored and offered. */
type ShareToOffer = Omit<NewFederatedShare, 'node' | 'recipient'> & {
  readonly node: Pick<NewFederatedShare['node'], 'nodeId' | 'ownerUid' | 'name' | 'kind'>;
  readonly recipient: Omit<NewFederatedShare['recipient'], 'localUid'>;
};

/** Writes federated shares together with what their partners are to be told. */
export class FederatedShareWriter {
  private readonly peers: PeerRepository;
  private readonly messages: ShareChangeMessages;

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    this.peers = new PeerRepository(database);
    this.messages = new ShareChangeMessages(new OutboxRepository(database));
  }

  /** An expired share with the same recipient that was not swept yet does not stand in the way. */
  async insert(share: ShareToOffer): Promise<OfferedShare | InsertRefusal> {
    const { recipient, node } = share;
    const peer = await this.peers.ensure(recipient.hostKey);
    try {
      const [made] = await this.insertOnce(share, peer.id);
      const { id, offer_id: offerId, gone } = made!;
      if (gone) return 'gone';
      if (id !== null && offerId !== null) return { shareId: id, offerId };
    } catch (error) {
      if (violatesForeignKey(error)) return 'gone';
      throw error;
    }
    const twin = [node.nodeId, SHARE_TYPES.federated, recipient.canonical];
    const removed = await this.database.rows(sql.REMOVE_EXPIRED_TWIN, twin);
    return removed.length > 0 ? this.insert(share) : 'duplicate';
  }

  private insertOnce(share: ShareToOffer, peerId: number) {
    const { received } = share;
    if (!received) {
      const offered = [...this.valuesOf(share, peerId, OFFER), share.linkId ?? null];
      return this.database.rows(sql.INSERT_FEDERATED, offered);
    }
    const values = this.valuesOf(share, peerId, REQUEST);
    return this.database.rows(INSERT_RESHARE, [...values, received.receivedShareId]);
  }

  private valuesOf(share: ShareToOffer, peerId: number, kind: MessageKind): unknown[] {
    const { node, initiatorUid, recipient, permissions, expiresOn, shareToken } = share;
    const offer: Omit<OfferPayload, 'owner' | 'sender'> = {
      shareWith: recipient.written,
      name: node.name,
      nodeKind: node.kind,
      permissions,
      expiresOn,
    };
    return [
      ...[node.nodeId, node.ownerUid, initiatorUid, recipient.written, recipient.canonical],
      ...[permissions, expiresOn, this.secrets.lookup(shareToken), this.secrets.seal(shareToken)],
      ...[kind, MESSAGES[kind].lifetimeMs, JSON.stringify(offer), peerId],
      [...new Set([node.ownerUid, initiatorUid])],
    ];
  }

  /** Tells partners of permissions that were changed here. That the day of expiry moved, no dialect can say. */
  async notifyChange(transaction: Queryable, share: FederatedShare, change: ShareChange): Promise<void> {
    const { permissions } = change;
    if (permissions === undefined || permissions === share.permissions) return;
    await this.messages.notifyAll(transaction, share.id, permissions);
  }
}
