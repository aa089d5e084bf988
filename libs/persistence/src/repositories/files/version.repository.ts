import { settingDefinition } from '#sharing';
import type { Queryable } from '../../database';
import type { NodeCopy } from './node-write.repository';
import * as sql from './version-statements';
import type { CurrentAuthor, KeptVersion, VersionRow } from './version-statements';

const DEFAULT_RETENTION = settingDefinition('system', 'versions_retention_obligation')!.fallback;
const DEFAULT_PERCENT = Number(settingDefinition('files_versions', 'quota_percent')!.fallback);

/** A removed version, whose content has no reference left. */
interface RemovedVersion {
  readonly blobKey: string;
  readonly size: number;
}

/** Reads and changes the versions of files. Every change belongs inside a transaction that holds the lock of the storage. */
export class VersionRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Makes a version of a file's present content, which is about to be replaced. An empty file makes none, and neither
   * does a content that equals
   * the newest version, including the time of change.
   * @returns all versions of the file; none if none was made
   */
  keep(nodeId: number): Promise<KeptVersion[]> {
    const defaults = { defaultRetention: DEFAULT_RETENTION, defaultPercent: DEFAULT_PERCENT };
    return this.database.rows(sql.KEEP, { nodeId, ...defaults });
  }

  /** Removes versions of a file. */
  remove(nodeId: number, versionIds: readonly number[]): Promise<RemovedVersion[]> {
    return this.database.rows(sql.REMOVE, { nodeId, versionIds });
  }

  /**
   * Removes the oldest versions in the storage of a file.
   * @param bytes minimum of their total size
   * @param storedBefore versions that were stored later stay
   */
  removeOldest(nodeId: number, bytes: number, storedBefore: Date): Promise<RemovedVersion[]> {
    return this.database.rows(sql.REMOVE_OLDEST, { nodeId, bytes, storedBefore });
  }

  /** Versions of a file, the newest first. */
  list(nodeId: number): Promise<VersionRow[]> {
    return this.database.rows(sql.LIST, { nodeId });
  }

  async find(nodeId: number, versionId: number): Promise<VersionRow | undefined> {
    return (await this.database.rows(sql.FIND, { nodeId, versionId }))[0];
  }

  /** Keys of the contents of all versions of these files. */
  keysOf(nodeIds: readonly number[]): Promise<{ readonly blobKey: string }[]> {
    return this.database.rows(sql.KEYS_OF, { nodeIds });
  }

  /**
   * Gives copies of files the versions and authors of their originals.
   * @param contents keys of the copied contents, by the keys of the originals; versions without one are left out
   */
  async copyHistory(
    storageId: number,
    copies: readonly Pick<NodeCopy, 'id' | 'original'>[],
    contents: ReadonlyMap<string, string>,
  ): Promise<void> {
    await this.database.rows(sql.COPY_HISTORY, {
      storageId,
      originals: copies.map(({ original }) => original.id),
      copies: copies.map(({ id }) => id),
      originalKeys: [...contents.keys()],
      copiedKeys: [...contents.values()],
    });
  }

  /** Author of the present content of a file. */
  async currentAuthor(nodeId: number): Promise<CurrentAuthor | undefined> {
    return (await this.database.rows(sql.FIND_AUTHOR, { nodeId }))[0];
  }

  /** Sets the name of a version; null removes it. @returns whether there is such a version */
  async name(nodeId: number, versionId: number, label: string | null): Promise<boolean> {
    return (await this.database.rows(sql.NAME, { nodeId, versionId, label })).length > 0;
  }

  /** Moves the count of versions of a node, and of everything below it, to another storage. */
  async countTo(nodeId: number, fromStorageId: number, toStorageId: number): Promise<void> {
    await this.database.rows(sql.MOVE_BYTES, { nodeId, fromStorageId, toStorageId });
  }
}
