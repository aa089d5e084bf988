import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All storages of an account, also those of shares from partners: to end an account, each of them was searched among all storages. */
export class StoragesOfOwner1764000000224 implements MigrationInterface {
  readonly name = 'StoragesOfOwner1764000000224';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX storage_of_owner ON storage (owner_uid)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
