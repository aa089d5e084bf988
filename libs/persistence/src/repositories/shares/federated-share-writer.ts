import { MESSAGES, type MessageKind, type OfferPayload } from '#federation/exchange';
import type { SecretBox } from '#platform';
import {
  SHARE_TYPES,
  type FederatedShare,
  type InsertRefusal,
  type NewFederatedShare,
  type OfferedShare,
  type ShareChange,
} from '#sharing';
import { actingText } from '../../acting-text';
import { violatesForeignKey, type Database, type Queryable } from '../../database';
import { OutboxRepository } from '../deliveries/outbox.repository';
import type { RowOf } from '../../postgres-types';
import { PeerRepository } from '../partners/peer.repository';
import { INSERT_RESHARE } from './reshare-statements';
import { ShareChangeMessages } from './share-change-messages';
import * as writes from './share-write-statements';

const OFFER = 'share-create';
const REQUEST = 'reshare-request';

/** A federated share, before it is stored and offered. */
type ShareToOffer = Omit<NewFederatedShare, 'node' | 'recipient'> & {
  readonly node: Pick<NewFederatedShare['node'], 'nodeId' | 'ownerUid' | 'name' | 'kind'>;
  readonly recipient: Omit<NewFederatedShare['recipient'], 'localUid'>;
};

/** Writes federated shares together with the messages to their partners. */
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

  /** An expired share with the same recipient that was not removed yet does not prevent a new one. */
  async insert(share: ShareToOffer): Promise<OfferedShare | InsertRefusal> {
    const { recipient, node } = share;
    const made = await this.insertOnce(share);
    if (!made || made.gone) return 'gone';
    const { id, offer_id: offerId, is_held: isHeld } = made;
    if (id !== null && offerId !== null) return { shareId: id, offerId, isHeld: isHeld! };
    if (made.is_new_partner) {
      await this.peers.ensure(recipient.hostKey);
      return this.insert(share);
    }
    const removed = await this.database.rows(writes.REMOVE_EXPIRED_TWIN, {
      nodeId: node.nodeId,
      type: SHARE_TYPES.federated,
      recipient: recipient.canonical,
    });
    return removed.length > 0 ? this.insert(share) : 'duplicate';
  }

  /** @returns undefined if the node is gone */
  private async insertOnce(share: ShareToOffer): Promise<RowOf<typeof writes.OFFERED_ROW> | undefined> {
    try {
      return (await this.insertRow(share))[0];
    } catch (error) {
      if (violatesForeignKey(error)) return undefined;
      throw error;
    }
  }

  private insertRow(share: ShareToOffer) {
    const { received } = share;
    if (!received)
      return this.database.rows(writes.INSERT_FEDERATED, {
        ...this.valuesOf(share, OFFER),
        linkId: share.linkId ?? null,
        isForGroup: share.isForGroup,
      });
    const { receivedShareId } = received;
    return this.database.rows(INSERT_RESHARE, { ...this.valuesOf(share, REQUEST), receivedShareId });
  }

  private valuesOf(share: ShareToOffer, kind: MessageKind) {
    const { node, initiatorUid, recipient, permissions, expiresOn, attributes, note, shareToken } = share;
    const offer: Omit<OfferPayload, 'owner' | 'sender'> = {
      shareWith: recipient.written,
      name: node.name,
      nodeKind: node.kind,
      permissions,
      expiresOn,
      note,
      ...(share.isForGroup ? { shareType: 'group' } : {}),
    };
    return {
      nodeId: node.nodeId,
      ownerUid: node.ownerUid,
      initiatorUid,
      recipient: recipient.written,
      recipientCanonical: recipient.canonical,
      permissions,
      expiresOn,
      attributes,
      note,
      tokenHmac: this.secrets.lookup(shareToken),
      tokenEnc: this.secrets.seal(shareToken),
      kind,
      lifetimeMs: MESSAGES[kind].lifetimeMs,
      offer: JSON.stringify(offer),
      hostKey: recipient.hostKey,
      people: [...new Set([node.ownerUid, initiatorUid])],
      acting: actingText(),
    };
  }

  /** Tells partners about changed permissions and, if they support it, about a changed expiry or note. */
  async notifyChange(transaction: Queryable, share: FederatedShare, change: ShareChange): Promise<void> {
    const { permissions = share.permissions, expiresOn = share.expiresOn, note = share.note } = change;
    if (permissions !== share.permissions) return this.messages.notifyAll(transaction, share.id, permissions);
    if (expiresOn === share.expiresOn && note === share.note) return;
    await this.messages.notifyOfAdditions(transaction, share.id, permissions);
  }
}
