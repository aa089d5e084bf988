import { Injectable } from '@nestjs/common';
import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';
import { Database, StoredWriteRepository } from '#persistence';

const MAX_LISTED = 1000;

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const unknown = (): OcsFailure => new OcsFailure(404, 'There is no such file that waits');

/** @throws OcsFailure */
function numberOf(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw unknown();
  return Number(id);
}

/** Files that wait for partners, for their writers. */
@Injectable()
export class StoredWriteList {
  private readonly writes: StoredWriteRepository;

  constructor(database: Database) {
    this.writes = new StoredWriteRepository(database);
  }

  /** Tries one of the account's files now. @throws OcsFailure */
  async retry(uid: string, id: string): Promise<void> {
    if (!(await this.writes.retry(numberOf(id), uid))) throw unknown();
  }

  /** Turns one into a file of the account. @throws OcsFailure */
  async giveUp(uid: string, id: string): Promise<void> {
    if (!(await this.writes.giveUp(numberOf(id), uid))) throw unknown();
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
