import {
  acceptedText,
  afterUndelivered,
  endedByRecipientText,
  lostAccessText,
  SHARE_TYPES,
  UNDELIVERED_STATES,
  type NotificationText,
  type UndeliveredState,
} from '#sharing';
import type { Queryable } from '../../database';
import { bool, filtered, int8, nullable, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';
import { notify } from '../accounts/notices';
import { ENDED_SHARE, RESHARE, SHARE_TO_PARTNER } from '../accounts/notified-objects';
import { seesNode } from './coverage-sql';

/** Whether the initiator still sees what they passed on. Its name is told to nobody else. */
const IS_SEEN = seesNode('s.initiator_uid', 'n');

/** Returns no row if the share is gone, or is being delivered again. */
const LOCK_UNDELIVERED = statement({
  name: 'share_event_effects.lock_undelivered',
  params: { id: int8 },
  row: {
    uid: text,
    state: filtered(textOf<UndeliveredState>()),
    recipient: filtered(text),
    error: nullable(text),
    name: text,
    isRequested: bool,
    wasDelivered: bool,
    isSeen: bool,
  },
  sql: `SELECT s.initiator_uid AS uid, s.delivery_state AS state, s.recipient, s.delivery_error AS error, n.name, s.requester_peer_id IS NOT NULL AS "isRequested",
     s.delivered_at IS NOT NULL AS "wasDelivered", ${IS_SEEN} AS "isSeen"
   FROM share s JOIN node n ON n.id = s.node_id WHERE s.id = :id AND s.delivery_state = ANY('{${UNDELIVERED_STATES.join()}}') FOR NO KEY UPDATE OF s`,
});
/** The requester gets the message about a declined share. */
const DECLINE = statement({
  name: 'share_event_effects.decline',
  params: { id: int8 },
  sql: `UPDATE share SET acceptance = 'declined' WHERE id = :id`,
});
const END = statement({
  name: 'share_event_effects.end',
  params: { id: int8 },
  sql: 'DELETE FROM share WHERE id = :id',
});
const ENDED = statement({
  name: 'share_event_effects.ended',
  params: { id: int8 },
  row: {
    uid: text,
    recipient: text,
    name: text,
    ended: textOf<'declined' | 'left'>(),
    reason: nullable(text),
  },
  sql: `SELECT s.initiator_uid AS uid, s.recipient, s.node_name AS name, s.ended, s.reason FROM ended_share s
   WHERE s.id = :id AND (s.initiator_uid = s.owner_uid OR EXISTS (SELECT FROM node n WHERE n.id = s.node_id AND ${IS_SEEN})) FOR KEY SHARE`,
});
const LOCK_WITHOUT_ACCESS = statement({
  name: 'share_event_effects.lock_without_access',
  params: { id: int8 },
  row: { uid: text, name: text, initiator: text, recipient: nullable(text) },
  sql: `SELECT s.owner_uid AS uid, n.name, initiator.display_name AS initiator,
     CASE WHEN s.share_type <> ${SHARE_TYPES.link} THEN coalesce(recipient.display_name, s.recipient) END AS recipient
   FROM share s JOIN node n ON n.id = s.node_id JOIN user_account initiator ON initiator.uid = s.initiator_uid
   LEFT JOIN user_account recipient ON s.share_type = ${SHARE_TYPES.user} AND recipient.uid = s.recipient_canonical
   WHERE s.id = :id AND s.access_lost_at IS NOT NULL FOR KEY SHARE OF s`,
});
const ACCEPTED = statement({
  name: 'share_event_effects.accepted',
  params: { id: int8 },
  row: { uid: text, recipient: filtered(text), name: text },
  sql: `SELECT s.initiator_uid AS uid, s.recipient, n.name FROM share s JOIN node n ON n.id = s.node_id
   WHERE s.id = :id AND s.acceptance = 'accepted' AND s.recipient IS NOT NULL AND ${IS_SEEN} FOR KEY SHARE OF s`,
});

/** Effects of share events on users of this server, and on shares that partners requested. */
export class ShareEventEffects {
  constructor(private readonly transaction: Queryable) {}

  /** @returns whether the share ended, which causes another event */
  async undelivered(id: number): Promise<boolean> {
    const [share] = await this.transaction.rows(LOCK_UNDELIVERED, { id });
    if (!share) return false;
    const effect = afterUndelivered(share);
    if (effect.kind === 'notify') {
      if (share.isSeen) await this.notify(share.uid, SHARE_TO_PARTNER, id, effect.text);
    } else {
      if (effect.isDeclined) await this.transaction.rows(DECLINE, { id });
      await this.transaction.rows(END, { id });
    }
    return effect.kind === 'end';
  }

  async endedByRecipient(id: number): Promise<void> {
    const [share] = await this.transaction.rows(ENDED, { id });
    if (!share) return;
    const { uid, recipient, ended, name, reason } = share;
    await this.notify(uid, ENDED_SHARE, id, endedByRecipientText(recipient, ended, name, reason));
  }

  async accessLost(id: number): Promise<void> {
    const [share] = await this.transaction.rows(LOCK_WITHOUT_ACCESS, { id });
    if (!share) return;
    const { uid, initiator, name, recipient } = share;
    await this.notify(uid, RESHARE, id, lostAccessText(initiator, name, recipient));
  }

  /** Notifies its initiator that the recipient accepted. */
  async acceptedByRecipient(id: number): Promise<void> {
    const [share] = await this.transaction.rows(ACCEPTED, { id });
    if (share) await this.notify(share.uid, SHARE_TO_PARTNER, id, acceptedText(share.recipient, share.name));
  }

  private notify(uid: string, objectType: string, id: number, text: NotificationText): Promise<void> {
    return notify(this.transaction, [{ uid, objectType, objectId: String(id), text }]);
  }
}
