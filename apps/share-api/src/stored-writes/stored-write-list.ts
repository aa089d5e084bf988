import { Injectable } from '@nestjs/common';
import type { OcsValue } from '#ocs/protocol';
import { Database, StoredWriteRepository } from '#persistence';

const MAX_LISTED = 1000;

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Files that wait for partners, for their writers. */
@Injectable()
export class StoredWriteList {
  private readonly writes: StoredWriteRepository;

  constructor(database: Database) {
    this.writes = new StoredWriteRepository(database);
  }

  async of(uid: string): Promise<OcsValue[]> {
    const writes = await this.writes.ofWriter(uid, MAX_LISTED);
    return writes.map(({ hostKey, shareName, storedAt, dueAt, lastError, ...write }) => ({
      ...write,
      share: shareName,
      partner: hostKey,
      stored_at: seconds(storedAt),
      next_attempt: seconds(dueAt),
      last_error: lastError ?? '',
    }));
  }
}
