import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Directory services, which list the servers that invited people choose from. */
export class DirectoryServices1764000000161 implements MigrationInterface {
  readonly name = 'DirectoryServices1764000000161';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE directory_service (
      url text COLLATE "C" PRIMARY KEY CHECK (octet_length(url) BETWEEN 1 AND 2048),
      public_key text NOT NULL CHECK (octet_length(public_key) <= 8192),
      federation text NOT NULL DEFAULT '',
      servers jsonb NOT NULL DEFAULT '[]',
      fetched_at timestamptz,
      due_at timestamptz NOT NULL DEFAULT now(),
      error text NOT NULL DEFAULT ''
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
