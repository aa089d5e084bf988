import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Copies between servers under another name, which a dead process leaves. */
export class UnfinishedCopies1764000000241 implements MigrationInterface {
  readonly name = 'UnfinishedCopies1764000000241';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE unfinished_copy (
  name text COLLATE "C" PRIMARY KEY,
  storage_id integer NOT NULL REFERENCES storage (id) ON DELETE CASCADE,
  path text COLLATE "C" NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX unfinished_copy_by_storage ON unfinished_copy (storage_id);
CREATE INDEX unfinished_copy_by_sight ON unfinished_copy (seen_at);
`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
