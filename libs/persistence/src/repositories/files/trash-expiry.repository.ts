import { settingDefinition } from '#sharing';
import type { Database } from '../../database';
import { NodeWriteRepository } from './node-write.repository';
import { EXPIRED, STILL_TRASHED } from './trash-statements';

const DEFAULT_DAYS = Number(settingDefinition('files_trashbin', 'retention_days')!.fallback);
const BATCH = 100;

/** Removes nodes for good that were in a trash bin for longer than the setting allows. The sweep removes their contents. */
export class TrashExpiryRepository {
  constructor(private readonly database: Database) {}

  /** @returns the number of removed deletions */
  async removeExpired(): Promise<number> {
    for (let removed = 0; ;) {
      const expired = await this.database.rows(EXPIRED, { defaultDays: DEFAULT_DAYS, limit: BATCH });
      for (const storageId of new Set(expired.map((entry) => entry.storageId))) {
        const nodeIds = expired.filter((entry) => entry.storageId === storageId).map((entry) => entry.nodeId);
        removed += await this.removeFrom(storageId, nodeIds);
      }
      if (expired.length < BATCH) return removed;
    }
  }

  /** Takes the lock of the storage, so that nothing is removed while it is restored. */
  private removeFrom(storageId: number, nodeIds: readonly number[]): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const writes = new NodeWriteRepository(transaction);
      await writes.lockStorages([storageId]);
      const still = await transaction.rows(STILL_TRASHED, { nodeIds });
      await writes.deleteSubtrees(still.map((entry) => entry.nodeId));
      return still.length;
    });
  }
}
