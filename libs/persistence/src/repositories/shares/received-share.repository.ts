import type { NodeKind, ReceivedShareState } from '#sharing';
import { Injectable } from '@nestjs/common';
import type { OfferedToUs, StoredOffer } from '#federation/exchange';
import { actingText } from '../../acting-text';
import { Database, type Queryable } from '../../database';
import { withdrawUnsignedOffers } from '../trust/unsigned-offers';
import { announceProbes } from './announce-probes';
import {
  type ReceivedShareRow,
  type ListedShareRow,
  INSERT,
  LIST,
  FIND_OWN,
  LOCK_OWN,
  LOCK_BY_SECRET,
  LOCK_OF_PARTNERS,
  CHANGE_STATE,
  CHANGE_PERMISSIONS,
  CHANGE_DESCRIPTION,
  CHANGE_EXPIRY,
  DISPLACE_PASSED_ON,
  DOUBT,
  PROBE_NOW,
  PLACE,
  LOCK_MOUNTED_AT_OR_BELOW,
} from './received-share-statements';

export type { ReceivedShareRow, ListedShareRow } from './received-share-statements';

/** Maximum provider id: Postgres has no larger share ids. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** A share that had expired and gave up its place in the tree. */
interface RevivedShare {
  readonly recipientUid: string;
  /** null: not known yet. */
  readonly kind: NodeKind | null;
  readonly formerTarget: string;
}

/** Shares that partners made for our users. */
@Injectable()
export class ReceivedShareRepository {
  constructor(private readonly database: Database) {}

  /**
   * Stores a pending share for each recipient, with one statement for all of them: for all, or for none if it fails.
   * @param recipientUids accounts of ours, each once
   * @param subject text of the recipients' notifications
   * @returns the result for each recipient, by user id
   */
  async insert(
    share: OfferedToUs,
    recipientUids: readonly string[],
    subject: string,
  ): Promise<ReadonlyMap<string, StoredOffer>> {
    // Copies of an offer that arrive together wait for each other's rows. In the same order, this cannot become a deadlock.
    const values = { ...share, recipientUids: recipientUids.toSorted(), subject, acting: actingText() };
    const stored = new Map<string, StoredOffer>(recipientUids.map((uid) => [uid, 'known']));
    for (const { recipientUid, id } of await this.database.rows(INSERT, values))
      stored.set(recipientUid, id ?? 'no-room');
    return stored;
  }

  /** Ends unsigned offers of this partner that were stored before it was known to sign. */
  withdrawUnsigned(peerId: number): Promise<void> {
    return withdrawUnsignedOffers(this.database, peerId);
  }

  /** The user's shares in any of these states, oldest first. */
  list(recipientUid: string, states: readonly ReceivedShareState[]): Promise<ListedShareRow[]> {
    return this.database.rows(LIST, { recipientUid, states });
  }

  /** One of the user's own shares. */
  async find(id: number, recipientUid: string): Promise<ListedShareRow | undefined> {
    if (!(id > 0 && id < MAX_ID)) return undefined;
    return (await this.database.rows(FIND_OWN, { id, recipientUid }))[0];
  }

  /** One of the user's own shares, for a change in this transaction. */
  async lock(
    transaction: Queryable,
    id: number,
    recipientUid: string,
  ): Promise<ReceivedShareRow | undefined> {
    if (!(id > 0 && id < MAX_ID)) return undefined;
    return (await transaction.rows(LOCK_OWN, { id, recipientUid }))[0];
  }

  /**
   * The shares with this provider id and this secret, for a change in this transaction.
   * Messages do not name their sender: the sender is the partner that knows the secret. It is looked up by its
   * HMAC under our own key, so the time that this takes reveals nothing about it.
   */
  lockBySecret(transaction: Queryable, providerId: string, tokenHmac: Buffer): Promise<ReceivedShareRow[]> {
    return transaction.rows(LOCK_BY_SECRET, { providerId, tokenHmac });
  }

  /** The shares that these partners offered under this id, for a change in this transaction. */
  lockOfPartners(
    transaction: Queryable,
    providerId: string,
    peerIds: readonly number[],
  ): Promise<ReceivedShareRow[]> {
    return transaction.rows(LOCK_OF_PARTNERS, { providerId, peerIds });
  }

  /** The user's shares at a path of their tree and below it, for a change in this transaction. */
  lockMountedAtOrBelow(
    transaction: Queryable,
    recipientUid: string,
    path: string,
  ): Promise<ReceivedShareRow[]> {
    return transaction.rows(LOCK_MOUNTED_AT_OR_BELOW, { recipientUid, path });
  }

  /** A state without a mount gives up the place in the tree. @returns the new revision */
  async changeState(transaction: Queryable, id: number, state: ReceivedShareState): Promise<number> {
    return (await transaction.rows(CHANGE_STATE, { id, state, acting: actingText() }))[0]!.revision;
  }

  /**
   * @param expiresAt null for none
   * @returns the former place of a share that had expired: it has none now
   */
  async changeExpiry(
    transaction: Queryable,
    id: number,
    expiresAt: Date | null,
  ): Promise<RevivedShare | undefined> {
    const [changed] = await transaction.rows(CHANGE_EXPIRY, { id, expiresAt });
    if (!changed || changed.formerTarget === null) return undefined;
    await transaction.rows(DISPLACE_PASSED_ON, { id });
    return { ...changed, formerTarget: changed.formerTarget };
  }

  async changeDescription(transaction: Queryable, id: number, description: string): Promise<void> {
    await transaction.rows(CHANGE_DESCRIPTION, { id, description });
  }

  async changePermissions(transaction: Queryable, id: number, permissions: number): Promise<void> {
    await transaction.rows(CHANGE_PERMISSIONS, { id, permissions, acting: actingText() });
  }

  /** A sender that is not proven to be the owner's server says that the share ended: the next probe at that server decides. */
  async doubt(
    transaction: Queryable,
    { providerId, tokenHmac }: { readonly providerId: string; readonly tokenHmac: Buffer },
    { failedProbes, sinceMs }: { readonly failedProbes: number; readonly sinceMs: number },
  ): Promise<void> {
    const doubted = await transaction.rows(DOUBT, { providerId, tokenHmac, failedProbes, sinceMs });
    await announceProbes(transaction, doubted);
  }

  /** Schedules a probe of a mounted share now, unless its root was already seen with this ETag. */
  async probeNow(transaction: Queryable, id: number, etag: string): Promise<void> {
    const due = await transaction.rows(PROBE_NOW, { id, etag });
    await announceProbes(transaction, due);
  }

  /** Sets the share's path in its recipient's tree. */
  async place(transaction: Queryable, id: number, fileTarget: string): Promise<void> {
    await transaction.rows(PLACE, { id, fileTarget });
  }
}
