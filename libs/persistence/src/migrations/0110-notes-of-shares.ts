import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes of the maker of a share to its recipients. */
export class NotesOfShares1764000000110 implements MigrationInterface {
  readonly name = 'NotesOfShares1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE share ADD COLUMN IF NOT EXISTS note text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
