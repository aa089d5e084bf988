import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the content of federated shares was first read. */
export class FirstReads1764000000099 implements MigrationInterface {
  readonly name = 'FirstReads1764000000099';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE share ADD COLUMN first_read_at timestamptz');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
