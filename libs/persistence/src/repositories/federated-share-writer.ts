import { lifetimeMs, type OfferPayload, type PermissionsPayload } from '#federation/delivery';
import type { SecretBox } from '#platform';
import {
  SHARE_TYPES,
  type FederatedShare,
  type InsertRefusal,
  type NewFederatedShare,
  type OfferedShare,
  type ShareChange,
} from '#sharing';
import { violatesForeignKey, type Database, type Queryable } from '../database';
import { OutboxRepository } from './outbox.repository';
import { PeerRepository } from './peer.repository';
import * as sql from './share-statements';

const OFFER = 'share-create';

/** Writes federated shares together with what their partners are to be told. */
export class FederatedShareWriter {
  private readonly peers: PeerRepository;
  private readonly outbox: OutboxRepository;

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    this.peers = new PeerRepository(database);
    this.outbox = new OutboxRepository(database);
  }

  /** An expired share with the same recipient that was not swept yet does not stand in the way. */
  async insert(share: NewFederatedShare): Promise<OfferedShare | InsertRefusal> {
    const { recipient, node } = share;
    const peer = await this.peers.ensure(recipient.hostKey);
    try {
      const [made] = await this.database.rows(sql.INSERT_FEDERATED, this.valuesOf(share, peer.id));
      if (made) return { shareId: made.id, offerId: made.offer_id };
    } catch (error) {
      if (violatesForeignKey(error)) return 'gone';
      throw error;
    }
    const twin = [node.nodeId, SHARE_TYPES.federated, recipient.canonical];
    const removed = await this.database.rows(sql.REMOVE_EXPIRED_TWIN, twin);
    return removed.length > 0 ? this.insert(share) : 'duplicate';
  }

  private valuesOf(share: NewFederatedShare, peerId: number): unknown[] {
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
      ...[OFFER, lifetimeMs(OFFER), JSON.stringify(offer), peerId],
    ];
  }

  /** Tells the partner of changed permissions. That the day of expiry moved, no dialect can say. */
  async tellChange(transaction: Queryable, share: FederatedShare, change: ShareChange): Promise<void> {
    const { permissions } = change;
    if (permissions === undefined || permissions === share.permissions) return;
    const [touched] = await transaction.rows(sql.TOUCH_FEDERATED, [share.id]);
    if (!touched) return;
    const payload: PermissionsPayload = {
      providerId: String(share.id),
      grantee: touched.recipient,
      permissions,
    };
    await this.outbox.write(transaction, {
      kind: 'share-permissions',
      subject: { type: 'share', id: share.id },
      peerId: touched.peer_id,
      revision: touched.revision,
      payload,
      sealedSecret: touched.token_enc,
    });
  }
}
