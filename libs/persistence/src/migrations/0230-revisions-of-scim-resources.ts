import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of two changes by a SCIM client at the same time, the second one learns of the first. */
export class RevisionsOfScimResources1764000000230 implements MigrationInterface {
  readonly name = 'RevisionsOfScimResources1764000000230';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE scim_resource ADD COLUMN revision integer NOT NULL DEFAULT 0');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
