import { settingDefinition } from '#sharing';
import { actingText } from '../../acting-text';
import type { Queryable } from '../../database';
import * as sql from './trash-statements';
import type { TrashedRow } from './trash-statements';

const DEFAULT_PERCENT = Number(settingDefinition('files_trashbin', 'quota_percent')!.fallback);

/** Reads trash bins, and puts nodes into them; every change belongs inside a transaction that holds the lock of the storage. */
export class TrashRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Moves a node and all below it into the trash bin of its owner. Its shares are hidden; those with partners end.
   * @param shareId share through which it is deleted; null for the owner
   */
  async put(nodeId: number, shareId: number | null): Promise<void> {
    await this.database.rows(sql.LOCK_SUBTREE, { nodeId });
    await this.database.rows(sql.PUT_INTO_TRASH, { nodeId, shareId, acting: actingText() });
  }

  /** Gives a node that was moved out of the trash bin, and all below it, their shares back. */
  async takeOut(nodeId: number): Promise<void> {
    await this.database.rows(sql.TAKE_OUT_OF_TRASH, { nodeId, acting: actingText() });
  }

  /** Deleted nodes of the user, whoever deleted them, the newest first. */
  list(ownerUid: string): Promise<TrashedRow[]> {
    return this.database.rows(sql.LIST, { ownerUid });
  }

  /** The direct entries of a folder in the trash bin, by name. */
  entries({ topId, id }: TrashedRow): Promise<TrashedRow[]> {
    return this.database.rows(sql.ENTRIES, { topId, folderId: id });
  }

  /**
   * Nodes below deleted folders of the user, in all depths, by path.
   * @param folder the one that is listed; undefined for the whole trash bin
   * @param limit so many at most
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
   * The same by its name and the second of its deletion.
   * @param below path below what was deleted: `''` or `/folder/name`
   */
  async findByName(
    ownerUid: string,
    name: string,
    second: number,
    below: string,
  ): Promise<TrashedRow | undefined> {
    return (await this.database.rows(sql.FIND_BY_NAME, { ownerUid, name, second, below }))[0];
  }

  /** Ids of the oldest entries, which the share of the owner's quota has no room for. */
  async overShare(ownerUid: string): Promise<number[]> {
    const rows = await this.database.rows(sql.OVER_SHARE, { ownerUid, defaultPercent: DEFAULT_PERCENT });
    return rows.map((row) => row.nodeId);
  }

  /** Ids of what was deleted first. */
  async oldest(ownerUid: string, limit: number): Promise<number[]> {
    return (await this.database.rows(sql.OLDEST, { ownerUid, limit })).map((row) => row.nodeId);
  }
}
