import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates the checks that the trash bin changed, in its own transaction, which blocks no writer. */
export class TrashBinChecks1764000000046 implements MigrationInterface {
  readonly name = 'TrashBinChecks1764000000046';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE node VALIDATE CONSTRAINT node_check1');
    await runner.query('ALTER TABLE node VALIDATE CONSTRAINT node_path_check');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
