import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes of the maker of a federated share, stored while its node is in a trash bin. */
export class NotesOfOffers1764000000160 implements MigrationInterface {
  readonly name = 'NotesOfOffers1764000000160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE trashed_offer ADD COLUMN IF NOT EXISTS note text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
