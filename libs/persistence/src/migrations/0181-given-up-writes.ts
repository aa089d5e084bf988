import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that wait for a partner, and that were given up. */
export class GivenUpWrites1764000000181 implements MigrationInterface {
  readonly name = 'GivenUpWrites1764000000181';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE stored_write ADD COLUMN given_up boolean NOT NULL DEFAULT false');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
