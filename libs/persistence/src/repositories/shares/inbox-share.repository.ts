import { ONCE_PER_RECIPIENT } from './kind-sql';
import { SHARE_TYPES, UNDELIVERED_STATES } from '#sharing';
import type { RequestedShare } from '#federation/exchange';
import { WITHOUT_COPIES } from '#federation/protocol';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import {
  array,
  bool,
  bytea,
  date,
  filtered,
  int2,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { keepsCopiesSql } from '../partners/copies-sql';
import { presentCanonical } from '../partners/present-canonical';
import { noteAnswered } from './offer-arrival';
import { ALIVE } from './share-row';
import { REMOVE_EXPIRED_TWIN } from './share-write-statements';

/** One of our shares with an account at a partner, as the partner's messages about it need it. */
const NOTIFIED_SHARE_ROW = {
  id: int8,
  peerId: filtered(int8),
  /** HMAC of the secret that the partner knows: the partner's own secret if the owner's server made the share. */
  tokenHmac: bytea,
  permissions: int2,
  ownerUid: text,
  /** The partner that requested the share for a person at a third server; null for shares that were made here. */
  requesterPeerId: nullable(int8),
  /** Whether the partner is the owner's server, which made the share on our request. */
  isGranted: bool,
  kind: textOf<'file' | 'folder'>(),
  /** Cloud id of its recipient, as it was written. */
  recipient: filtered(text),
  /** Whether the recipient is a group. */
  isForGroup: bool,
  /** Cloud id of the owner if the node lies on another instance; null for our own nodes. */
  remoteOwner: nullable(text),
};
type NotifiedShareRow = RowOf<typeof NOTIFIED_SHARE_ROW>;

/** A share that was made on request, with the values that its recipient's server needs. */
const REQUESTED_SHARE_ROW = {
  id: int8,
  nodeName: text,
  nodeKind: textOf<'file' | 'folder'>(),
  /** `YYYY-MM-DD`; null for none. */
  expiresOn: nullable(date),
  ownerUid: text,
  ownerDisplayName: text,
};
type RequestedShareRow = RowOf<typeof REQUESTED_SHARE_ROW>;

/** A share that is being withdrawn is not found any more. */
const LOCK = statement({
  name: 'inbox_share.lock',
  params: { shareId: int8 },
  row: NOTIFIED_SHARE_ROW,
  sql: `SELECT s.id, s.peer_id AS "peerId", coalesce(s.granted_token_hmac, s.token_hmac) AS "tokenHmac", s.permissions,
     s.owner_uid AS "ownerUid", s.requester_peer_id AS "requesterPeerId", s.granted_id IS NOT NULL AS "isGranted",
     n.kind, s.recipient, s.recipient_is_group AS "isForGroup", (SELECT r.owner FROM received_share r WHERE r.id = n.received_share_id) AS "remoteOwner"
   FROM share s JOIN node n ON n.id = s.node_id
   WHERE s.id = :shareId AND s.share_type = ${SHARE_TYPES.federated} AND s.peer_id IS NOT NULL AND s.token_hmac IS NOT NULL
     AND s.via_owner IS DISTINCT FROM 'asked'
     AND s.delivery_state NOT IN ('revoking', 'revoked') AND ${ALIVE}
   FOR UPDATE OF s`,
});
/** The message about the end outlives the share, and so does the event until the message is written. */
const SECRETS_OF_ENDED = statement({
  name: 'inbox_share.secrets_of_ended',
  params: { shareId: int8 },
  row: { sealed: bytea },
  sql: `SELECT sealed_secret AS sealed FROM outbox_message
   WHERE subject_type = 'share' AND subject_id = :shareId AND kind = 'share-unshare' AND sealed_secret IS NOT NULL
   UNION ALL
   SELECT sealed_secret FROM share_event
   WHERE subject_type = 'share' AND subject_id = :shareId AND kind = 'ended' AND sealed_secret IS NOT NULL LIMIT 4`,
});
const SEE = statement({
  name: 'inbox_share.see',
  params: { shareId: int8, acting: text },
  sql: `UPDATE share SET seen_at = now() WHERE id = :shareId AND seen_at IS NULL AND ${ACTING}`,
});
const ACCEPT = statement({
  name: 'inbox_share.accept',
  params: { shareId: int8, acting: text },
  sql: `UPDATE share SET acceptance = 'accepted', acceptance_source = 'notification', doubted_at = NULL
   WHERE id = :shareId AND acceptance IS DISTINCT FROM 'accepted' AND ${ACTING}`,
});
/** A partner that reads the content afterwards has accepted it; a partner that does not read it for days has left it. */
const DOUBT = statement({
  name: 'inbox_share.doubt',
  params: { shareId: int8, withoutCopies: array(text), acting: text },
  row: { id: int8 },
  sql: `UPDATE share s SET acceptance = 'unknown', acceptance_source = NULL, doubted_at = now()
   WHERE s.id = :shareId AND s.acceptance = 'accepted' AND ${ACTING}
     AND EXISTS (SELECT FROM outbox_message m WHERE m.subject_type = 'share' AND m.subject_id = s.id
       AND m.kind = 'share-create' AND m.maybe_delivered)
     AND EXISTS (SELECT FROM peer p WHERE p.id = s.peer_id AND ${keepsCopiesSql('p', ':withoutCopies')})
   RETURNING s.id`,
});
const CHANGE_PERMISSIONS = statement({
  name: 'inbox_share.change_permissions',
  params: { shareId: int8, permissions: int2, acting: text },
  sql: `UPDATE share SET permissions = :permissions WHERE id = :shareId AND ${ACTING}`,
});
/** A recipient who ends a share gets no message about it: this mark says so when the row is deleted. */
const MARK = statement({
  name: 'inbox_share.mark_ended',
  params: { shareId: int8, reason: nullable(text), acting: text },
  sql: `UPDATE share SET decline_reason = :reason, acceptance = CASE WHEN acceptance = 'accepted' OR doubted_at IS NOT NULL THEN 'left' ELSE 'declined' END,
     acceptance_source = 'notification'
   WHERE id = :shareId AND ${ACTING}`,
});
/** A requester who withdraws a share gets no message about it. */
const FORGET_REQUESTER = statement({
  name: 'inbox_share.forget_requester',
  params: { shareId: int8 },
  sql: 'UPDATE share SET requester_peer_id = NULL, requester_share_id = NULL WHERE id = :shareId',
});
const MARK_TAKEN_BACK = statement({
  name: 'inbox_share.mark_taken_back',
  params: { shareId: int8 },
  sql: `UPDATE share SET delivery_state = 'revoked' WHERE id = :shareId`,
});
const REMOVE = statement({
  name: 'inbox_share.remove',
  params: { shareId: int8, acting: text },
  sql: `DELETE FROM share WHERE id = :shareId AND ${ACTING}`,
});
/** A member's share of a group has the conditions of the share with the group until it ends because of them. */
const ATTRIBUTES_TO_REPEAT = `CASE WHEN s.group_share_id IS NULL THEN s.attributes ELSE (SELECT jsonb_agg(DISTINCT one)::text
       FROM share c CROSS JOIN LATERAL jsonb_array_elements(c.attributes::jsonb) one WHERE c.id IN (s.id, s.group_share_id)) END`;
const INSERT_REQUESTED = statement({
  name: 'inbox_share.insert_requested',
  params: {
    shareId: int8,
    recipient: text,
    recipientCanonical: text,
    recipientPeerId: int8,
    permissions: int2,
    tokenHmac: bytea,
    tokenEnc: bytea,
    acting: text,
  },
  row: REQUESTED_SHARE_ROW,
  sql: `WITH made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on, attributes,
       token_hmac, token_enc, peer_id, delivery_state, acceptance, requester_peer_id, requested_of)
     SELECT 6, s.node_id, s.owner_uid, s.initiator_uid, :recipient, ${presentCanonical(':recipientCanonical', 'p')}, :permissions, least(s.expires_on, latest_remote_expiry()), ${ATTRIBUTES_TO_REPEAT}, :tokenHmac, :tokenEnc, p.id, 'pending', 'unknown', s.peer_id, s.id
     FROM share s JOIN peer p ON p.id = :recipientPeerId WHERE s.id = :shareId AND ${ACTING}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id, node_id, owner_uid, expires_on
   )
   SELECT made.id, n.name AS "nodeName", n.kind AS "nodeKind", made.expires_on AS "expiresOn", o.uid AS "ownerUid",
     o.display_name AS "ownerDisplayName"
   FROM made JOIN node n ON n.id = made.node_id JOIN user_account o ON o.uid = made.owner_uid`,
});
const NODE_OF = statement({
  name: 'inbox_share.node_of',
  params: { shareId: int8 },
  row: { nodeId: int8 },
  sql: 'SELECT node_id AS "nodeId" FROM share WHERE id = :shareId',
});
/** The share that its recipient has by an earlier request of the same person. */
const REQUESTED_BEFORE = statement({
  name: 'inbox_share.requested_before',
  params: { shareId: int8, recipientCanonical: text, recipientPeerId: int8 },
  row: { id: int8, permissions: int2 },
  sql: `SELECT s.id, s.permissions FROM share original JOIN peer p ON p.id = :recipientPeerId
     JOIN share s ON s.node_id = original.node_id AND s.share_type = ${SHARE_TYPES.federated} AND s.recipient_canonical = ${presentCanonical(':recipientCanonical', 'p')}
   WHERE original.id = :shareId AND s.requested_of = original.id AND s.requester_peer_id = original.peer_id AND ${ALIVE} FOR NO KEY UPDATE OF s`,
});
/**
 * From now on the requester gets messages about the share: before the answer they do not know it. If the recipient's
 * server refuses the share, it ends a moment later, and there is no answer. Messages with another id are not repetitions, so the
 * share gets another revision.
 */
const SET_REQUESTER_SHARE_ID = statement({
  name: 'inbox_share.set_requester_share_id',
  params: { shareId: int8, requesterShareId: text },
  row: { tokenEnc: filtered(bytea) },
  sql: `UPDATE share SET requester_share_id = :requesterShareId, revision = revision + (requester_share_id <> :requesterShareId IS TRUE)::integer WHERE id = :shareId AND requester_peer_id IS NOT NULL
     AND delivery_state <> ALL ('{${UNDELIVERED_STATES.join()}}') RETURNING token_enc AS "tokenEnc"`,
});

/** Our shares, as messages of partners change them; in one transaction each. */
export class InboxShareRepository {
  constructor(private readonly transaction: Queryable) {}

  /** @param shareId the provider id that the partner knows */
  async lock(shareId: number): Promise<NotifiedShareRow | undefined> {
    return (await this.transaction.rows(LOCK, { shareId }))[0];
  }

  /** Sealed secrets of an ended share, as long as the message about its end is stored. */
  async secretsOfEnded(shareId: number): Promise<Buffer[]> {
    return (await this.transaction.rows(SECRETS_OF_ENDED, { shareId })).map(({ sealed }) => sealed);
  }

  /** Notes that the recipient saw the offer. */
  async see(shareId: number): Promise<void> {
    await this.transaction.rows(SEE, { shareId, acting: actingText() });
    await noteAnswered(this.transaction, [shareId]);
  }

  /** Notes that the recipient accepted. */
  async accept(shareId: number): Promise<void> {
    await this.transaction.rows(ACCEPT, { shareId, acting: actingText() });
    await noteAnswered(this.transaction, [shareId]);
  }

  /**
   * Notes a decline of an accepted share whose offer may have arrived twice: it is not known which copy was meant.
   * @returns whether that is so; the share then counts as not accepted
   */
  async doubt(shareId: number): Promise<boolean> {
    return (
      (await this.transaction.rows(DOUBT, { shareId, withoutCopies: WITHOUT_COPIES, acting: actingText() }))
        .length > 0
    );
  }

  async changePermissions(shareId: number, permissions: number): Promise<void> {
    await this.transaction.rows(CHANGE_PERMISSIONS, { shareId, permissions, acting: actingText() });
  }

  /** Ends the share because the recipient declined or left it; they get no message. */
  async end(shareId: number, reason: string | null): Promise<void> {
    await this.transaction.rows(MARK, { shareId, reason, acting: actingText() });
    await this.transaction.rows(REMOVE, { shareId, acting: actingText() });
  }

  /** Ends the share for its requester: the recipient gets a message, the requester gets none. */
  async revoke(shareId: number): Promise<void> {
    await this.transaction.rows(FORGET_REQUESTER, { shareId });
    await this.transaction.rows(REMOVE, { shareId, acting: actingText() });
  }

  /** Ends the share because the owner's server, which made it, withdrew it. That server gets no message. */
  async drop(shareId: number): Promise<void> {
    await this.transaction.rows(MARK_TAKEN_BACK, { shareId });
    await this.transaction.rows(REMOVE, { shareId, acting: actingText() });
  }

  /**
   * Makes the share that the recipient of `shareId` requests. An expired share with the new recipient that was not removed yet does not prevent it.
   * @returns undefined if the new recipient already has it
   */
  async insertRequested(shareId: number, asked: RequestedShare): Promise<RequestedShareRow | undefined> {
    const { recipient, recipientCanonical, recipientPeerId, permissions, tokenHmac, tokenEnc } = asked;
    const values = {
      ...{ shareId, recipient, recipientCanonical, recipientPeerId, permissions, tokenHmac, tokenEnc },
      acting: actingText(),
    };
    const [made] = await this.transaction.rows(INSERT_REQUESTED, values);
    if (made) return made;
    const [original] = await this.transaction.rows(NODE_OF, { shareId });
    if (!original) return undefined;
    const twin = { nodeId: original.nodeId, type: SHARE_TYPES.federated, recipient: recipientCanonical };
    const removed = await this.transaction.rows(REMOVE_EXPIRED_TWIN, twin);
    return removed.length > 0 ? this.insertRequested(shareId, asked) : undefined;
  }

  /** The share that the recipient of `shareId` requested before for the same person; undefined if there is none. */
  async requestedBefore(
    shareId: number,
    { recipientCanonical, recipientPeerId }: RequestedShare,
  ): Promise<RowOf<(typeof REQUESTED_BEFORE)['row']> | undefined> {
    const values = { shareId, recipientCanonical, recipientPeerId };
    return (await this.transaction.rows(REQUESTED_BEFORE, values))[0];
  }

  /**
   * Stores the id under which the requester knows a share that was made for them.
   * @returns its sealed secret; undefined if the share is gone
   */
  async setRequesterShareId(shareId: number, requesterShareId: string): Promise<Buffer | undefined> {
    return (await this.transaction.rows(SET_REQUESTER_SHARE_ID, { shareId, requesterShareId }))[0]?.tokenEnc;
  }
}
