import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A server that was restored from a backup asks again for a share that was made on its request. */
export class SharesThatWerePassedOn1764000000243 implements MigrationInterface {
  readonly name = 'SharesThatWerePassedOn1764000000243';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE share ADD COLUMN requested_of bigint');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
