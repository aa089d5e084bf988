import { ONCE_PER_RECIPIENT } from './kind-sql';
import { SHARE_TYPES } from '#sharing';
import { WITHOUT_COPIES } from '#federation/protocol';
import type { Queryable } from '../../database';
import { decision, statement } from '../../statement';
import { keepsCopies } from '../partners/copies-sql';
import { ALIVE } from './share-row';

/** One of our shares with a partner's account, as the partner's messages about it need it. */
export interface NotifiedShareRow {
  readonly id: number;
  readonly peerId: number;
  /** HMAC of the secret that the partner knows: its own where the owner's server made the share. */
  readonly tokenHmac: Buffer;
  readonly permissions: number;
  readonly ownerUid: string;
  /** The partner that asked for the share, for somebody of a third one; null for shares that were made here. */
  readonly requesterPeerId: number | null;
  /** Whether the partner is the server of its owner, which made it on our request. */
  readonly isGranted: boolean;
  readonly kind: 'file' | 'folder';
  /** Cloud id of its recipient, as it was written. */
  readonly recipient: string;
  /** Cloud id of the owner where the node lies on another instance; null for our own. */
  readonly remoteOwner: string | null;
}

/** A share that a partner requests on behalf of one of its users: with another person, of the same node. */
export interface RequestedShare {
  /** Cloud id of the recipient, as it was written. */
  readonly recipient: string;
  readonly recipientCanonical: string;
  readonly recipientPeerId: number;
  readonly permissions: number;
  readonly tokenHmac: Buffer;
  readonly tokenEnc: Buffer;
}

/** A share that was made so, with what its recipient's server is told. */
export interface RequestedShareRow {
  readonly id: number;
  readonly nodeName: string;
  readonly nodeKind: 'file' | 'folder';
  /** `YYYY-MM-DD`; null for none. */
  readonly expiresOn: string | null;
  readonly ownerUid: string;
  readonly ownerDisplayName: string;
}

/** A share that is being taken back exists for nobody any more. */
const LOCK = statement<NotifiedShareRow>(
  'inbox_share.lock',
  `SELECT s.id, s.peer_id AS "peerId", coalesce(s.granted_token_hmac, s.token_hmac) AS "tokenHmac", s.permissions,
     s.owner_uid AS "ownerUid", s.requester_peer_id AS "requesterPeerId", s.granted_id IS NOT NULL AS "isGranted",
     n.kind, s.recipient, (SELECT r.owner FROM received_share r WHERE r.id = n.received_share_id) AS "remoteOwner"
   FROM share s JOIN node n ON n.id = s.node_id
   WHERE s.id = $1 AND s.share_type = ${SHARE_TYPES.federated} AND s.peer_id IS NOT NULL AND s.token_hmac IS NOT NULL
     AND s.via_owner IS DISTINCT FROM 'asked'
     AND s.delivery_state NOT IN ('revoking', 'revoked') AND ${ALIVE}
   FOR UPDATE OF s`,
);
/** The message of the end outlives the share. */
const SECRETS_OF_ENDED = statement<{ sealed: Buffer }>(
  'inbox_share.secrets_of_ended',
  `SELECT sealed_secret AS sealed FROM outbox_message
   WHERE subject_type = 'share' AND subject_id = $1 AND kind = 'share-unshare' AND sealed_secret IS NOT NULL LIMIT 4`,
);
const ACCEPT = decision(
  'inbox_share.accept',
  (acting) => `UPDATE share SET acceptance = 'accepted', acceptance_source = 'notification', doubted_at = NULL
   WHERE id = $1 AND acceptance IS DISTINCT FROM 'accepted' AND ${acting}`,
);
/** A partner that reads the content afterwards has accepted it; one that does not for days has left it. */
const DOUBT = decision<{ id: number }>(
  'inbox_share.doubt',
  (acting) => `UPDATE share s SET acceptance = 'unknown', acceptance_source = NULL, doubted_at = now()
   WHERE s.id = $1 AND s.acceptance = 'accepted' AND ${acting}
     AND EXISTS (SELECT FROM outbox_message m WHERE m.subject_type = 'share' AND m.subject_id = s.id
       AND m.kind = 'share-create' AND m.maybe_delivered)
     AND EXISTS (SELECT FROM peer p WHERE p.id = s.peer_id AND ${keepsCopies('p', '$2')})
   RETURNING s.id`,
);
const CHANGE_PERMISSIONS = decision(
  'inbox_share.change_permissions',
  (acting) => `UPDATE share SET permissions = $2 WHERE id = $1 AND ${acting}`,
);
/** The recipient who ended a share gets no message about it: the mark says so when the row goes. */
const MARK = decision(
  'inbox_share.mark_ended',
  (
    acting,
  ) => `UPDATE share SET acceptance = CASE WHEN acceptance = 'accepted' OR doubted_at IS NOT NULL THEN 'left' ELSE 'declined' END,
     acceptance_source = 'notification'
   WHERE id = $1 AND ${acting}`,
);
/** The requester who takes a share back gets no message about it. */
const FORGET_REQUESTER = statement(
  'inbox_share.forget_requester',
  'UPDATE share SET requester_peer_id = NULL, requester_share_id = NULL WHERE id = $1',
);
const MARK_TAKEN_BACK = statement(
  'inbox_share.mark_taken_back',
  `UPDATE share SET delivery_state = 'revoked' WHERE id = $1`,
);
const REMOVE = decision('inbox_share.remove', (acting) => `DELETE FROM share WHERE id = $1 AND ${acting}`);
const INSERT_REQUESTED = decision<RequestedShareRow>(
  'inbox_share.insert_requested',
  (acting) => `WITH made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on,
       token_hmac, token_enc, peer_id, delivery_state, acceptance, requester_peer_id)
     SELECT 6, s.node_id, s.owner_uid, s.initiator_uid, $2, $3, $5, s.expires_on, $6, $7, $4, 'pending', 'unknown', s.peer_id
     FROM share s WHERE s.id = $1 AND ${acting}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id, node_id, owner_uid, expires_on
   )
   SELECT made.id, n.name AS "nodeName", n.kind AS "nodeKind", made.expires_on AS "expiresOn", o.uid AS "ownerUid",
     o.display_name AS "ownerDisplayName"
   FROM made JOIN node n ON n.id = made.node_id JOIN user_account o ON o.uid = made.owner_uid`,
);
/** The requester is told about the share from now on: before the answer they do not know it. */
const SET_REQUESTER_SHARE_ID = statement<{ tokenEnc: Buffer }>(
  'inbox_share.set_requester_share_id',
  `UPDATE share SET requester_share_id = $2 WHERE id = $1 AND requester_peer_id IS NOT NULL RETURNING token_enc AS "tokenEnc"`,
);

/** Our shares, as far as messages of the partners that received them change them; in one transaction each. */
export class InboxShareRepository {
  constructor(private readonly transaction: Queryable) {}

  /** @param shareId the provider id that the partner knows */
  async lock(shareId: number): Promise<NotifiedShareRow | undefined> {
    return (await this.transaction.rows(LOCK, [shareId]))[0];
  }

  /** Sealed secrets of a share that has ended, as long as the message of its end is kept. */
  async secretsOfEnded(shareId: number): Promise<Buffer[]> {
    return (await this.transaction.rows(SECRETS_OF_ENDED, [shareId])).map(({ sealed }) => sealed);
  }

  /** The recipient accepted it. */
  async accept(shareId: number): Promise<void> {
    await this.transaction.rows(ACCEPT, [shareId]);
  }

  /**
   * The recipient declined an accepted share whose offer may be there twice: it is not known which of them was meant.
   * @returns whether that is so; the share counts as not accepted then
   */
  async doubt(shareId: number): Promise<boolean> {
    return (await this.transaction.rows(DOUBT, [shareId, WITHOUT_COPIES])).length > 0;
  }

  async changePermissions(shareId: number, permissions: number): Promise<void> {
    await this.transaction.rows(CHANGE_PERMISSIONS, [shareId, permissions]);
  }

  /** The recipient declined or left it, and is told nothing. */
  async end(shareId: number): Promise<void> {
    await this.transaction.rows(MARK, [shareId]);
    await this.transaction.rows(REMOVE, [shareId]);
  }

  /** Takes it back from its recipient, who is told; whoever asked for it does so, and is not. */
  async revoke(shareId: number): Promise<void> {
    await this.transaction.rows(FORGET_REQUESTER, [shareId]);
    await this.transaction.rows(REMOVE, [shareId]);
  }

  /** The server of its owner, which made it, took it back, and is told nothing. */
  async drop(shareId: number): Promise<void> {
    await this.transaction.rows(MARK_TAKEN_BACK, [shareId]);
    await this.transaction.rows(REMOVE, [shareId]);
  }

  /** Makes the share that the recipient of `shareId` asks for. @returns undefined when somebody has it already */
  async insertRequested(shareId: number, asked: RequestedShare): Promise<RequestedShareRow | undefined> {
    const { recipient, recipientCanonical, recipientPeerId, permissions } = asked;
    const values = [shareId, recipient, recipientCanonical, recipientPeerId, permissions];
    const rest = [asked.tokenHmac, asked.tokenEnc];
    return (await this.transaction.rows(INSERT_REQUESTED, [...values, ...rest]))[0];
  }

  /**
   * Keeps the id under which the requester knows a share that was made for them.
   * @returns its sealed secret; undefined when the share is gone
   */
  async setRequesterShareId(shareId: number, requesterShareId: string): Promise<Buffer | undefined> {
    return (await this.transaction.rows(SET_REQUESTER_SHARE_ID, [shareId, requesterShareId]))[0]?.tokenEnc;
  }
}
