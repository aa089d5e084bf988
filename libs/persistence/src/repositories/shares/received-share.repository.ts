import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../database';
import { decision, statement } from '../../statement';
import { below } from '../files/mount-sql';
import { NOTIFYING_APP, REMOTE_SHARE } from './received-share-notice.repository';
import { withdrawUnsignedOffers } from '../trust/unsigned-offers';

export type ReceivedShareState = 'pending' | 'accepted' | 'declined' | 'gone' | 'quarantined';

/** A share that a partner made for one of our users. */
export interface ReceivedShareRow {
  readonly id: number;
  readonly peerId: number;
  readonly hostKey: string;
  readonly providerId: string;
  readonly tokenHmac: Buffer;
  /** The shared secret, sealed. */
  readonly tokenEnc: Buffer;
  readonly recipientUid: string;
  /** Federated cloud ids. */
  readonly owner: string;
  readonly ownerDisplayName: string;
  readonly sender: string;
  readonly senderDisplayName: string;
  readonly name: string;
  readonly description: string;
  /** null where the partner does not say. */
  readonly kind: 'file' | 'folder' | null;
  readonly permissions: number;
  readonly expiresAt: Date | null;
  readonly dialect: string;
  /** How the content is reached, as its dialect says. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
  readonly state: ReceivedShareState;
  /** Grows with every change that its partner is told of. */
  readonly revision: number;
  /** Where the recipient sees it; null while it has no place. */
  readonly fileTarget: string | null;
  readonly mimetype: string | null;
  readonly size: number | null;
  readonly mtime: Date | null;
  readonly etag: string | null;
  /** Time since which its partner has not shown it; null when it did the last time. */
  readonly unreachableSince: Date | null;
  readonly receivedAt: Date;
}

export type NewReceivedShare = Pick<
  ReceivedShareRow,
  | 'peerId'
  | 'providerId'
  | 'tokenHmac'
  | 'tokenEnc'
  | 'recipientUid'
  | 'owner'
  | 'ownerDisplayName'
  | 'sender'
  | 'senderDisplayName'
  | 'name'
  | 'description'
  | 'kind'
  | 'permissions'
  | 'expiresAt'
  | 'dialect'
  | 'access'
  | 'verified'
>;

const COLUMNS = `r.id, r.peer_id AS "peerId", p.host_key AS "hostKey", r.provider_id AS "providerId", r.token_hmac AS "tokenHmac",
  r.token_enc AS "tokenEnc", r.recipient_uid AS "recipientUid", r.owner, r.owner_display_name AS "ownerDisplayName", r.sender,
  r.sender_display_name AS "senderDisplayName", r.name, r.description, r.kind, r.permissions, r.expires_at AS "expiresAt", r.dialect,
  r.access, r.verified, r.state, r.revision, r.file_target AS "fileTarget", r.mimetype, r.size, r.mtime, r.etag, r.unreachable_since AS "unreachableSince",
  r.received_at AS "receivedAt"`;
const TABLES = 'received_share r JOIN peer p ON p.id = r.peer_id';

/** A received share as its recipient lists it. */
export interface ListedShareRow extends ReceivedShareRow {
  /** Node of its root; null while it has no place. */
  readonly rootId: number | null;
  /** Accepted a moment ago, and what it is was not found out yet. */
  readonly awaitsProbe: boolean;
}

const LISTED_COLUMNS = `${COLUMNS}, root.id AS "rootId",
  (r.state = 'accepted' AND (r.kind IS NULL OR r.mtime IS NULL) AND r.decided_at > now() - interval '10 seconds'
    AND (r.last_probe_at IS NULL OR r.last_probe_at < r.decided_at)) AS "awaitsProbe"`;
const LISTED_TABLES = `${TABLES} LEFT JOIN node root ON root.received_share_id = r.id AND root.parent_id IS NULL`;

/** An expired share is in no list and has no effect, swept or not. */
const ALIVE = '(r.expires_at IS NULL OR r.expires_at > now())';

/** Shares that one user has not decided on: of all partners together, and of one host. */
const MOST_PENDING = { ofAll: 1000, ofHost: 200 } as const;

/**
 * The share and what its recipient is told of it, both or none; one that is there already is left as it is. Of offers
 * that come at the same moment a few too many can be taken.
 */
const INSERT = decision<{ id: number | null; known: boolean }>(
  'received_share.insert',
  (acting) => `WITH pending AS (
     SELECT count(*) < ${MOST_PENDING.ofAll} AND count(*) FILTER (WHERE peer_id IN (
       SELECT a.id FROM peer p JOIN peer a ON a.host_id = p.host_id WHERE p.id = $1)) < ${MOST_PENDING.ofHost} AS has_room
     FROM received_share WHERE recipient_uid = $5 AND state = 'pending'
   ), made AS (
     INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, owner_display_name, sender,
       sender_display_name, name, description, kind, permissions, expires_at, dialect, access, verified)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17 FROM pending WHERE has_room AND ${acting}
     ON CONFLICT (peer_id, provider_id, token_hmac, recipient_uid) DO NOTHING RETURNING id
   ), told AS (
     INSERT INTO notification (uid, app, object_type, object_id, subject)
     SELECT $5, '${NOTIFYING_APP}', '${REMOTE_SHARE}', id::text, $18 FROM made
     ON CONFLICT DO NOTHING
   )
   SELECT made.id, pending.has_room OR EXISTS (SELECT FROM received_share
     WHERE peer_id = $1 AND provider_id = $2 AND token_hmac = $3 AND recipient_uid = $5) AS known
   FROM pending LEFT JOIN made ON true`,
);
const LIST = statement<ListedShareRow>(
  'received_share.list',
  `SELECT ${LISTED_COLUMNS} FROM ${LISTED_TABLES} WHERE r.recipient_uid = $1 AND r.state = ANY($2::text[]) AND ${ALIVE} ORDER BY r.id`,
);
const FIND_OWN = statement<ListedShareRow>(
  'received_share.find_own',
  `SELECT ${LISTED_COLUMNS} FROM ${LISTED_TABLES} WHERE r.id = $1 AND r.recipient_uid = $2 AND ${ALIVE}`,
);
const LOCK_OWN = statement<ReceivedShareRow>(
  'received_share.lock_own',
  `SELECT ${COLUMNS} FROM ${TABLES} WHERE r.id = $1 AND r.recipient_uid = $2 AND ${ALIVE} FOR NO KEY UPDATE OF r`,
);
const LOCK_BY_SECRET = statement<ReceivedShareRow>(
  'received_share.lock_by_secret',
  `SELECT ${COLUMNS} FROM ${TABLES} WHERE r.token_hmac = $2 AND r.provider_id = $1
   ORDER BY r.id FOR NO KEY UPDATE OF r`,
);
const LOCK_OF_PARTNERS = statement<ReceivedShareRow>(
  'received_share.lock_of_partners',
  `SELECT ${COLUMNS} FROM ${TABLES} WHERE r.peer_id = ANY($2::bigint[]) AND r.provider_id = $1
   ORDER BY r.id FOR NO KEY UPDATE OF r`,
);
const CHANGE_STATE = decision<{ revision: number }>(
  'received_share.change_state',
  (acting) => `UPDATE received_share SET state = $2, revision = revision + 1, decided_at = now(),
     gone_at = CASE WHEN $2 = 'gone' THEN now() END,
     file_target = CASE WHEN $2 IN ('accepted', 'quarantined') THEN file_target END
   WHERE id = $1 AND ${acting} RETURNING revision`,
);
const CHANGE_PERMISSIONS = decision(
  'received_share.change_permissions',
  (acting) =>
    `UPDATE received_share SET permissions = $2, revision = revision + 1 WHERE id = $1 AND ${acting}`,
);
/** As after all refusals but the last. Looks of one share that others ask for are half a minute apart. */
const DOUBT = statement<{ id: number }>(
  'received_share.doubt',
  `UPDATE received_share SET failed_probes = $3, quarantined_at = now() - $4::double precision * interval '1 millisecond',
     look_at = greatest(now(), last_probe_at + interval '30 seconds')
   WHERE provider_id = $1 AND token_hmac = $2 AND state IN ('accepted', 'quarantined') RETURNING id`,
);
const ANNOUNCE_PROBE = statement(
  'received_share.announce_probe',
  `SELECT pg_notify('drawbridge_changes', 'look:')`,
);
const PLACE = statement('received_share.place', 'UPDATE received_share SET file_target = $2 WHERE id = $1');

const LOCK_MOUNTED_AT_OR_BELOW = statement<ReceivedShareRow>(
  'received_share.lock_mounted_at_or_below',
  `SELECT ${COLUMNS} FROM ${TABLES}
   WHERE r.recipient_uid = $1 AND r.state IN ('accepted', 'quarantined')
     AND (r.file_target = $2 OR (${below('r.file_target', '$2')}))
   ORDER BY r.id FOR NO KEY UPDATE OF r`,
);

/** The most that a provider id can be; Postgres holds no larger share id. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Shares that partners made for our users. */
@Injectable()
export class ReceivedShareRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores a pending share.
   * @param subject what its recipient is told
   * @returns its id; `known` when it is there already, `no-room` when its recipient has too many to decide on
   */
  async insert(share: NewReceivedShare, subject: string): Promise<number | 'known' | 'no-room'> {
    const { peerId, providerId, tokenHmac, tokenEnc, recipientUid, owner, ownerDisplayName, sender } = share;
    const { senderDisplayName, name, description, kind, permissions, expiresAt, dialect, access, verified } =
      share;
    const identity = [peerId, providerId, tokenHmac, tokenEnc, recipientUid];
    const people = [owner, ownerDisplayName, sender, senderDisplayName];
    const rest = [name, description, kind, permissions, expiresAt, dialect, access, verified];
    const [row] = await this.database.rows(INSERT, [...identity, ...people, ...rest, subject]);
    return row!.id ?? (row!.known ? 'known' : 'no-room');
  }

  /** Ends unsigned offers of this partner that were stored before it was known that it signs. */
  withdrawUnsigned(peerId: number): Promise<void> {
    return withdrawUnsignedOffers(this.database, peerId);
  }

  /** The user's shares in any of these states, oldest first. */
  list(recipientUid: string, states: readonly ReceivedShareState[]): Promise<ListedShareRow[]> {
    return this.database.rows(LIST, [recipientUid, states]);
  }

  /** One of the user's own shares. */
  async find(id: number, recipientUid: string): Promise<ListedShareRow | undefined> {
    if (!(id > 0 && id < MAX_ID)) return undefined;
    return (await this.database.rows(FIND_OWN, [id, recipientUid]))[0];
  }

  /** One of the user's own shares, for a change in this transaction. */
  async lock(
    transaction: Queryable,
    id: number,
    recipientUid: string,
  ): Promise<ReceivedShareRow | undefined> {
    if (!(id > 0 && id < MAX_ID)) return undefined;
    return (await transaction.rows(LOCK_OWN, [id, recipientUid]))[0];
  }

  /**
   * The shares that a partner means by provider id and shared secret together, for a change in this transaction.
   * Messages do not say whom they are from: who knows the secret is the partner. It is looked up by its HMAC under our
   * own key, so how long that takes says nothing about it.
   */
  lockBySecret(transaction: Queryable, providerId: string, tokenHmac: Buffer): Promise<ReceivedShareRow[]> {
    return transaction.rows(LOCK_BY_SECRET, [providerId, tokenHmac]);
  }

  /** The shares that these partners gave under this id, for a change in this transaction. */
  lockOfPartners(
    transaction: Queryable,
    providerId: string,
    peerIds: readonly number[],
  ): Promise<ReceivedShareRow[]> {
    return transaction.rows(LOCK_OF_PARTNERS, [providerId, peerIds]);
  }

  /** The user's shares at a path of their tree and below it, for a change in this transaction. */
  lockMountedAtOrBelow(
    transaction: Queryable,
    recipientUid: string,
    path: string,
  ): Promise<ReceivedShareRow[]> {
    return transaction.rows(LOCK_MOUNTED_AT_OR_BELOW, [recipientUid, path]);
  }

  /** A state in which it is not mounted gives up the place in the tree. @returns the new revision */
  async changeState(transaction: Queryable, id: number, state: ReceivedShareState): Promise<number> {
    return (await transaction.rows(CHANGE_STATE, [id, state]))[0]!.revision;
  }

  async changePermissions(transaction: Queryable, id: number, permissions: number): Promise<void> {
    await transaction.rows(CHANGE_PERMISSIONS, [id, permissions]);
  }

  /** Somebody who is not proven to be its owner's server says that it ended: the next probe at that server decides. */
  async doubt(
    transaction: Queryable,
    { providerId, tokenHmac }: { readonly providerId: string; readonly tokenHmac: Buffer },
    { failedProbes, sinceMs }: { readonly failedProbes: number; readonly sinceMs: number },
  ): Promise<void> {
    const doubted = await transaction.rows(DOUBT, [providerId, tokenHmac, failedProbes, sinceMs]);
    if (doubted.length > 0) await this.announceProbe(transaction);
  }

  /** Has workers look at what is due, without waiting for their next round. */
  async announceProbe(transaction: Queryable): Promise<void> {
    await transaction.rows(ANNOUNCE_PROBE);
  }

  /** Puts the share at a path of its recipient's tree. */
  async place(transaction: Queryable, id: number, fileTarget: string): Promise<void> {
    await transaction.rows(PLACE, [id, fileTarget]);
  }
}
