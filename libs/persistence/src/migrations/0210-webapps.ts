import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets of web applications of received shares. */
export class Webapps1764000000210 implements MigrationInterface {
  readonly name = 'Webapps1764000000210';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE received_share ADD COLUMN webapp_token_enc bytea');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
