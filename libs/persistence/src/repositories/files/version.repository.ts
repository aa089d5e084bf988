import { settingDefinition } from '#sharing';
import type { Queryable } from '../../database';
import * as sql from './version-statements';
import type { CurrentAuthor, KeptVersion, VersionRow } from './version-statements';

const DEFAULT_RETENTION = settingDefinition('system', 'versions_retention_obligation')!.fallback;
const DEFAULT_PERCENT = Number(settingDefinition('files_versions', 'quota_percent')!.fallback);

/** A version that was removed, whose content nothing refers to any more. */
interface RemovedVersion {
  readonly blobKey: string;
  readonly size: number;
}

/** Reads and changes the versions of files; every change belongs inside a transaction that holds the lock of the storage. */
export class VersionRepository {
  constructor(private readonly database: Queryable) {}

  /**
   * Makes a version of what a file holds, which is about to be replaced. An empty file makes none, nor one whose content and time of change
   * are those of its newest version.
   * @returns all versions of the file; none where none was made
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
   * @param bytes which they have together at least
   * @param storedBefore none that was stored later is removed
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

  /** Author of the present content of a file. */
  async currentAuthor(nodeId: number): Promise<CurrentAuthor | undefined> {
    return (await this.database.rows(sql.FIND_AUTHOR, { nodeId }))[0];
  }

  /** Gives a version a name, or takes it away with null. @returns whether there is such a version */
  async name(nodeId: number, versionId: number, label: string | null): Promise<boolean> {
    return (await this.database.rows(sql.NAME, { nodeId, versionId, label })).length > 0;
  }

  /** Counts the versions of a node, and of all below it, to another storage, into which it is moved. */
  async countTo(nodeId: number, fromStorageId: number, toStorageId: number): Promise<void> {
    await this.database.rows(sql.MOVE_BYTES, { nodeId, fromStorageId, toStorageId });
  }
}
