import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Time at which a partner first read the content of a federated share. */
export class FirstReads1764000000099 implements MigrationInterface {
  readonly name = 'FirstReads1764000000099';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE share ADD COLUMN first_read_at timestamptz');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
