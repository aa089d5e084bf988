import type { Queryable } from '../../database';
import { announceProbes } from '../shares/announce-probes';
import type { NodeRow } from './node-row';
import * as nodes from './remote-node-statements';
import * as shares from './remote-share-statements';
import type { MountedShareRow } from './remote-share-statements';

/** A stored entry of a partner's folder. */
export interface RemoteNode {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  readonly mimetype: string;
  readonly size: number;
  readonly mtime: Date;
  /** ETag from the partner. */
  readonly etag: string;
}

/** The root of a received share; permissions are null if the partner does not name them. */
export type RemoteRoot = Omit<RemoteNode, 'name'> & { readonly permissions: number | null };

/** Received shares with content at a partner, and the stored facts about that content. */
export class RemoteNodeRepository {
  constructor(private readonly database: Queryable) {}

  /** @returns undefined when the share has ended */
  async findMounted(receivedShareId: number): Promise<MountedShareRow | undefined> {
    return (await this.database.rows(shares.FIND_MOUNTED, { receivedShareId }))[0];
  }

  /**
   * Makes this transaction the only one that changes the stored facts of the share.
   * @param askedAt by the database's clock
   * @returns undefined when the share has ended; `isOutdated` if we changed its content since `askedAt`
   */
  async lock(
    receivedShareId: number,
    askedAt: Date,
  ): Promise<{ storageId: number; isOutdated: boolean } | undefined> {
    return (await this.database.rows(shares.LOCK_MOUNTED, { receivedShareId, askedAt }))[0];
  }

  /** Marks earlier answers of the partner as outdated. */
  async noteChange(storageId: number): Promise<void> {
    await this.database.rows(shares.NOTE_CHANGE, { storageId });
  }

  async noteSeen(receivedShareId: number): Promise<void> {
    await this.database.rows(shares.NOTE_SEEN, { receivedShareId });
  }

  /** Notes that a user's clients read their files: their mounted shares are in use. */
  async noteUse(uid: string): Promise<void> {
    await announceProbes(this.database, await this.database.rows(shares.NOTE_USE, { uid }));
  }

  /** Notes that the partner gave no answer. */
  async noteUnreachable(receivedShareId: number): Promise<void> {
    await this.database.rows(shares.NOTE_UNREACHABLE, { receivedShareId });
  }

  /** Notes that the partner denied the share or gave an unreadable answer. One answer alone changes nothing. */
  async noteOddAnswer(receivedShareId: number): Promise<void> {
    await this.database.rows(shares.NOTE_ODD_ANSWER, { receivedShareId });
  }

  /** @returns whether the node changed */
  async putRoot(
    receivedShareId: number,
    storageId: number,
    root: RemoteRoot,
    newEtag: string,
  ): Promise<boolean> {
    const { kind, mimetype, size, mtime, etag, permissions } = root;
    await this.database.rows(shares.NOTE_ROOT, {
      receivedShareId,
      kind,
      mimetype,
      size,
      mtime,
      etag,
      permissions,
    });
    return (
      (await this.database.rows(nodes.PUT_ROOT, { storageId, kind, mimetype, size, mtime, newEtag, etag }))
        .length > 0
    );
  }

  /** Makes unknown folders of this list; the topmost comes first. */
  async makeFolders(storageId: number, paths: readonly string[]): Promise<void> {
    if (paths.length > 0) await this.database.rows(nodes.MAKE_FOLDERS, { storageId, paths });
  }

  /** Writes one entry of a folder. @returns whether anything changed */
  async putEntry(
    storageId: number,
    folderPath: string,
    entry: RemoteNode,
    newEtag: string,
  ): Promise<boolean> {
    const records = JSON.stringify([entry]);
    const removed = await this.database.rows(nodes.REMOVE_CHANGED_KINDS, { storageId, folderPath, records });
    const put = await this.database.rows(nodes.PUT_ENTRIES, { storageId, folderPath, records, newEtag });
    return removed.length + put.length > 0;
  }

  /** Replaces the entries of a folder; entries that stay keep their ids. @returns whether anything changed */
  async putEntries(
    storageId: number,
    folderPath: string,
    entries: readonly RemoteNode[],
    newEtag: string,
  ): Promise<boolean> {
    const records = JSON.stringify(entries);
    const removed = await this.database.rows(nodes.REMOVE_OTHERS, { storageId, folderPath, records });
    const put = await this.database.rows(nodes.PUT_ENTRIES, { storageId, folderPath, records, newEtag });
    await this.database.rows(nodes.NOTE_LISTED, { storageId, folderPath });
    return removed.length + put.length > 0;
  }

  /** @returns whether it existed */
  async removeEntry(storageId: number, folderPath: string, name: string): Promise<boolean> {
    return (await this.database.rows(nodes.REMOVE_NAMED, { storageId, folderPath, name })).length > 0;
  }

  /** Gives a folder and all folders above it a new etag and `sizeDelta` more bytes. */
  async propagate(storageId: number, folderPath: string, newEtag: string, sizeDelta = 0): Promise<void> {
    await this.database.rows(nodes.PROPAGATE, { storageId, folderPath, newEtag, sizeDelta });
  }

  async at(storageId: number, path: string): Promise<NodeRow | undefined> {
    return (await this.database.rows(nodes.AT_PATH, { storageId, folderPath: path }))[0];
  }

  /** ETag of a file at its partner, which is needed to change it there; null if it is not known. */
  async partnerEtag(nodeId: number): Promise<string | null> {
    return (await this.database.rows(nodes.PARTNER_ETAG, { id: nodeId }))[0]?.partnerEtag ?? null;
  }

  /** Notes that the partner has what the node shows. */
  async setPartnerEtag(nodeId: number, partnerEtag: string): Promise<void> {
    await this.database.rows(nodes.SET_PARTNER_ETAG, { id: nodeId, partnerEtag });
  }
}
