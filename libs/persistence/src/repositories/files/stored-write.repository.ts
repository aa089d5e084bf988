import type { NotificationText } from '#sharing';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import type { RowIn } from '../../statement';
import type { ValuesOf } from '../../postgres-types';
import { notify } from '../accounts/notices';
import { STORED_WRITE_OBJECT } from '../accounts/notified-objects';
import * as writes from './stored-write-statements';
import type { StoredWrite } from './stored-write-statements';

/** Held by a transaction that adds waiting bytes. */
const BOUNDS_LOCK = 7_421_190_150;

export type NewStoredWrite = ValuesOf<typeof writes.INSERT.params>;

/** A claimed write, identified by the number of its attempt: only the holder of the claim can change it. */
export type HeldWrite = Pick<StoredWrite, 'id' | 'attempts'>;

/** Contents that wait to be written into folders of partners. */
export class StoredWriteRepository {
  constructor(private readonly database: Queryable) {}

  /** Makes this transaction the only one that adds waiting bytes. */
  async lockBounds(): Promise<void> {
    await this.database.rows(writes.LOCK_BOUNDS, { lock: BOUNDS_LOCK });
  }

  /** Waiting bytes of one account, and for the partner of one share, without those of one path. */
  async waitingBytes(
    writerUid: string,
    receivedShareId: number,
    path: string,
  ): Promise<{ readonly ofWriter: number; readonly ofPartner: number }> {
    return (await this.database.rows(writes.WAITING_BYTES, { writerUid, receivedShareId, path }))[0]!;
  }

  /** Removes the content that waits for a path, since a later one replaces it. The share is locked. */
  async removeAt(receivedShareId: number, path: string): Promise<RowIn<typeof writes.REMOVE_AT> | undefined> {
    return (await this.database.rows(writes.REMOVE_AT, { receivedShareId, path }))[0];
  }

  async insert(write: NewStoredWrite): Promise<void> {
    await this.database.rows(writes.INSERT, write);
  }

  async anyAtOrBelow(receivedShareId: number, path: string): Promise<boolean> {
    return (await this.database.rows(writes.AT_OR_BELOW_ANY, { receivedShareId, path }))[0]!.found;
  }

  /** Delays the delivery of contents at and below a path. @returns them in their former state */
  holdAtOrBelow(
    receivedShareId: number,
    path: string,
    leaseMs: number,
  ): Promise<RowIn<typeof writes.HOLD_AT_OR_BELOW>[]> {
    return this.database.rows(writes.HOLD_AT_OR_BELOW, { receivedShareId, path, leaseMs });
  }

  async releaseAtOrBelow(receivedShareId: number, path: string): Promise<void> {
    await this.database.rows(writes.RELEASE_AT_OR_BELOW, { receivedShareId, path });
  }

  /** @returns keys of the removed contents */
  async removeAtOrBelow(receivedShareId: number, path: string): Promise<string[]> {
    const removed = await this.database.rows(writes.REMOVE_AT_OR_BELOW, { receivedShareId, path });
    return removed.map(({ blobKey }) => blobKey);
  }

  /** ETag of a node at its partner, and the content that waits to be written to it. @returns undefined if the node is gone */
  async ofNode(nodeId: number): Promise<RowIn<typeof writes.OF_NODE> | undefined> {
    return (await this.database.rows(writes.OF_NODE, { nodeId }))[0];
  }

  async claim(leaseMs: number, maxPerPartner: number): Promise<RowIn<typeof writes.CLAIM> | undefined> {
    return (await this.database.rows(writes.CLAIM, { leaseMs, maxPerPartner }))[0];
  }

  /** Extends the claim. @returns false if it was lost */
  async renew({ id, attempts }: HeldWrite, leaseMs: number): Promise<boolean> {
    return (await this.database.rows(writes.RENEW, { id, attempts, leaseMs })).length > 0;
  }

  /** Called before the content is sent. @returns false if the claim was lost */
  async noteSending({ id, attempts }: HeldWrite): Promise<boolean> {
    return (await this.database.rows(writes.NOTE_SENDING, { id, attempts })).length > 0;
  }

  /** @param expects present ETag of the file at the partner @returns false if the claim was lost */
  async noteThere({ id, attempts }: HeldWrite, expects: string | null): Promise<boolean> {
    return (await this.database.rows(writes.NOTE_THERE, { id, attempts, expects })).length > 0;
  }

  /** @returns undefined if the claim was lost */
  async remove({ id, attempts }: HeldWrite): Promise<RowIn<typeof writes.REMOVE> | undefined> {
    return (await this.database.rows(writes.REMOVE, { id, attempts }))[0];
  }

  async makeDue(peerId: number): Promise<void> {
    await this.database.rows(writes.MAKE_DUE, { peerId });
  }

  async postpone({ id, attempts }: HeldWrite, pauseMs: number, error: string): Promise<void> {
    await this.database.rows(writes.POSTPONE, { id, attempts, pauseMs, error });
  }

  /** @returns whether the claim was still valid */
  async refuse({ id, attempts }: HeldWrite, refusal: string): Promise<boolean> {
    return (await this.database.rows(writes.REFUSE, { id, attempts, refusal })).length > 0;
  }

  /** Notifies the writer that the content is now a file of their own. */
  async tell(
    { id, writerUid }: Pick<StoredWrite, 'id' | 'writerUid'>,
    text: NotificationText,
  ): Promise<void> {
    await notify(this.database, [
      { uid: writerUid, objectType: STORED_WRITE_OBJECT, objectId: String(id), text },
    ]);
  }

  /** Contents of one writer, the oldest first. */
  ofWriter(writerUid: string, limit: number): Promise<RowIn<typeof writes.OF_WRITER>[]> {
    return this.database.rows(writes.OF_WRITER, { writerUid, limit });
  }

  /** Contents of all writers in the order of ids, or of one partner or one writer. */
  list(
    {
      hostKey = null,
      writerUid = null,
    }: { readonly hostKey?: string | null; readonly writerUid?: string | null },
    after: number,
    limit: number,
  ): Promise<RowIn<typeof writes.LIST>[]> {
    return this.database.rows(writes.LIST, { hostKey, writerUid, after, limit });
  }

  /** Makes a waiting content due now. @param writerUid limits this to their own @returns false if there is none, or a delivery has it */
  async retry(id: number, writerUid: string | null = null): Promise<boolean> {
    return (await this.database.rows(writes.RETRY, { id, writerUid })).length > 0;
  }

  /** Has the next delivery turn a content into a file of its writer. A present delivery may still succeed. @returns whether there is one */
  async giveUp(id: number, writerUid: string | null = null): Promise<boolean> {
    return (await this.database.rows(writes.GIVE_UP, { id, writerUid, acting: actingText() })).length > 0;
  }

  /** Gives the contents of an account that ends to others, where there are any. @returns whether there were such contents */
  async handOn(uid: string, successorUid: string | null): Promise<boolean> {
    return (await this.database.rows(writes.HAND_ON, { uid, successorUid })).length > 0;
  }

  /** Number of waiting contents for each partner, the most first. */
  figures(): Promise<RowIn<typeof writes.FIGURES>[]> {
    return this.database.rows(writes.FIGURES);
  }
}
