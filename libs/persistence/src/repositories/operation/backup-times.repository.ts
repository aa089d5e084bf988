import type { Queryable } from '../../database';
import { nullable, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

const TIMES = statement({
  name: 'backup_times.read',
  row: { made: nullable(timestamptz), rehearsed: nullable(timestamptz), instanceId: text },
  sql: `SELECT backed_up_at AS made, rehearsed_backup_at AS rehearsed, instance_id AS "instanceId" FROM instance`,
});
// A test of an older backup does not set the time back.
const NOTE_MADE = statement({
  name: 'backup_times.note_made',
  params: { at: timestamptz },
  sql: 'UPDATE instance SET backed_up_at = GREATEST(backed_up_at, :at)',
});
const NOTE_REHEARSED = statement({
  name: 'backup_times.note_rehearsed',
  params: { at: timestamptz },
  sql: 'UPDATE instance SET rehearsed_backup_at = GREATEST(rehearsed_backup_at, :at)',
});

/** Times of this instance's backups. */
export class BackupTimesRepository {
  constructor(private readonly database: Queryable) {}

  /** @returns also the name of the instance, which is part of its backups */
  async read(): Promise<{ made: Date | null; rehearsed: Date | null; instanceId: string }> {
    return (await this.database.rows(TIMES))[0]!;
  }

  /** @param at time of the data in the backup */
  async noteMade(at: Date): Promise<void> {
    await this.database.rows(NOTE_MADE, { at });
  }

  /** @param at time of the data in the backup that was restored as a test */
  async noteRehearsed(at: Date): Promise<void> {
    await this.database.rows(NOTE_REHEARSED, { at });
  }
}
