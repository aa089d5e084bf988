import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Federated shares whose recipient is a group at a partner. */
export class SharesWithRemoteGroups1764000000192 implements MigrationInterface {
  readonly name = 'SharesWithRemoteGroups1764000000192';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE share ADD COLUMN recipient_is_group boolean NOT NULL DEFAULT false');
    await runner.query(
      'ALTER TABLE trashed_offer ADD COLUMN recipient_is_group boolean NOT NULL DEFAULT false',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
