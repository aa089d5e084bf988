import { outdatedVersions, parseRetention, settingDefinition, type AgingVersion } from '#sharing';
import type { Database } from '../../database';
import { bool, int4, int8, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { NodeWriteRepository } from './node-write.repository';
import { VersionRepository } from './version.repository';

const DEFAULT_RETENTION = settingDefinition('system', 'versions_retention_obligation')!.fallback;
const FILES_AT_ONCE = 200;

const OF_FILES_AFTER = statement({
  name: 'version.of_files_after',
  params: { after: int8, limit: int8, defaultRetention: text },
  row: {
    nodeId: int8,
    storageId: int4,
    id: int8,
    storedAt: timestamptz,
    isNamed: bool,
    retention: text,
  },
  sql: `SELECT v.node_id AS "nodeId", n.storage_id AS "storageId", v.id, v.stored_at AS "storedAt", v.label IS NOT NULL AS "isNamed",
     coalesce((SELECT value FROM setting WHERE app = 'system' AND key = 'versions_retention_obligation'), :defaultRetention) AS retention
   FROM file_version v JOIN node n ON n.id = v.node_id
   WHERE v.node_id > :after AND v.node_id <= (
     SELECT max(node_id) FROM (SELECT DISTINCT node_id FROM file_version WHERE node_id > :after ORDER BY node_id LIMIT :limit) next)
   ORDER BY v.node_id, v.id`,
});

interface FileWithVersions {
  readonly nodeId: number;
  readonly storageId: number;
  readonly retention: string;
  readonly versions: AgingVersion[];
}

/** Removes outdated versions, including those of files that are no longer written. The sweep removes their contents. */
export class VersionExpiryRepository {
  constructor(private readonly database: Database) {}

  /** @returns how many were removed */
  async removeOutdated(now = new Date()): Promise<number> {
    for (let [after, removed] = [0, 0]; ;) {
      const files = await this.filesAfter(after);
      for (const file of files) removed += await this.removeFrom(file, now);
      if (files.length < FILES_AT_ONCE) return removed;
      after = files.at(-1)!.nodeId;
    }
  }

  private async filesAfter(after: number): Promise<FileWithVersions[]> {
    const files = new Map<number, FileWithVersions>();
    const values = { after, limit: FILES_AT_ONCE, defaultRetention: DEFAULT_RETENTION };
    for (const row of await this.database.rows(OF_FILES_AFTER, values)) {
      const { nodeId, storageId, retention, ...version } = row;
      const file = files.get(nodeId) ?? { nodeId, storageId, retention, versions: [] };
      file.versions.push(version);
      files.set(nodeId, file);
    }
    return [...files.values()];
  }

  /** Takes the lock of the storage, as all changes of versions do. */
  private async removeFrom(file: FileWithVersions, now: Date): Promise<number> {
    const retention = parseRetention(file.retention);
    const outdated = retention ? outdatedVersions(file.versions, retention, now) : [];
    if (outdated.length === 0) return 0;
    return this.database.transaction(async (transaction) => {
      await new NodeWriteRepository(transaction).lockStorages([file.storageId]);
      return (await new VersionRepository(transaction).remove(file.nodeId, outdated)).length;
    });
  }
}
