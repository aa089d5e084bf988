import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Times of the last backup, and of the last backup that was restored as a test. */
export class BackupTimes1764000000135 implements MigrationInterface {
  readonly name = 'BackupTimes1764000000135';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE instance ADD COLUMN backed_up_at timestamptz, ADD COLUMN rehearsed_backup_at timestamptz',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
