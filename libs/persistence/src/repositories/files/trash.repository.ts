import { settingDefinition } from '#sharing';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import { keptConditions } from './kept-conditions';
import * as sql from './trash-statements';
import type { TrashedRow } from './trash-statements';

const DEFAULT_PERCENT = Number(settingDefinition('files_trashbin', 'quota_percent')!.fallback);

/** Reads trash bins, and moves nodes into them. Every change belongs inside a transaction that holds the lock of the storage. */
export class TrashRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Moves a node and everything below it into the trash bin of its owner. Its shares are hidden; shares with partners end.
   * Reshares keep the conditions of their initiators: the shares above may end before the node is restored, or it goes elsewhere.
   * @param shareId share through which it is deleted; null for the owner
   */
  async put(nodeId: number, shareId: number | null): Promise<void> {
    const [locked] = await this.database.rows(sql.LOCK_SUBTREE, { nodeId });
    const kept = keptConditions(locked?.held ?? null);
    if (kept.length > 0)
      await this.database.rows(sql.KEEP_CONDITIONS, { nodeId, kept: JSON.stringify(kept) });
    await this.database.rows(sql.PUT_INTO_TRASH, { nodeId, shareId, acting: actingText() });
  }

  /** Restores the shares of a node, and of everything below it, after it left the trash bin. */
  async takeOut(nodeId: number): Promise<void> {
    await this.database.rows(sql.TAKE_OUT_OF_TRASH, { nodeId, acting: actingText() });
  }

  /** Ids of the user's deleted nodes, whoever deleted them, the newest first. */
  async topIds(ownerUid: string): Promise<number[]> {
    return (await this.database.rows(sql.TOP_IDS, { ownerUid }))[0]!.ids;
  }

  /** Deleted nodes of this list that belong to the user, the newest first. */
  topsAmong(ownerUid: string, ids: readonly number[]): Promise<TrashedRow[]> {
    return this.database.rows(sql.TOPS_AMONG, { ownerUid, ids });
  }

  /** Nodes of this list that are direct entries of a folder in the trash bin, by name. */
  entriesAmong({ topId, id }: TrashedRow, ids: readonly number[]): Promise<TrashedRow[]> {
    return this.database.rows(sql.ENTRIES_AMONG, { topId, folderId: id, ids });
  }

  /**
   * Nodes below deleted folders of the user, at any depth, by path.
   * @param folder the listed folder; undefined for the whole trash bin
   * @param limit maximum number
   */
  below(ownerUid: string, folder: TrashedRow | undefined, limit: number): Promise<TrashedRow[]> {
    return this.database.rows(sql.BELOW, {
      ownerUid,
      topId: folder?.topId ?? null,
      folderId: folder?.id ?? null,
      limit,
    });
  }

  /** A node in the trash bin of this user. */
  async find(ownerUid: string, nodeId: number): Promise<TrashedRow | undefined> {
    return (await this.database.rows(sql.FIND, { ownerUid, nodeId }))[0];
  }

  /**
   * Finds a deleted node by its name and the second of its deletion.
   * @param below path below the deleted node: `''` or `/folder/name`
   */
  async findByName(
    ownerUid: string,
    name: string,
    second: number,
    below: string,
  ): Promise<TrashedRow | undefined> {
    return (await this.database.rows(sql.FIND_BY_NAME, { ownerUid, name, second, below }))[0];
  }

  /** Ids of the oldest entries that exceed the trash bin's part of the owner's quota. */
  async overShare(ownerUid: string): Promise<number[]> {
    const rows = await this.database.rows(sql.OVER_SHARE, { ownerUid, defaultPercent: DEFAULT_PERCENT });
    return rows.map((row) => row.nodeId);
  }

  /** Ids of the oldest deletions. */
  async oldest(ownerUid: string, limit: number): Promise<number[]> {
    return (await this.database.rows(sql.OLDEST, { ownerUid, limit })).map((row) => row.nodeId);
  }
}
