import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conditions of federated shares whose node is in a trash bin; the new offer after a restore repeats them. */
export class TrashedDemands1764000000115 implements MigrationInterface {
  readonly name = 'TrashedDemands1764000000115';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE trashed_offer ADD COLUMN attributes text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
