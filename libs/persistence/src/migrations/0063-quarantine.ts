import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uploads with a finding of the scanner, kept for operators. */
export class Quarantine1764000000063 implements MigrationInterface {
  readonly name = 'Quarantine1764000000063';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE quarantined_content (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  path text COLLATE "C" NOT NULL CHECK (octet_length(path) BETWEEN 1 AND 4000),
  finding text NOT NULL,
  author_kind text COLLATE "C",
  author text,
  share_id bigint,
  size bigint NOT NULL CHECK (size > 0),
  sha1 text COLLATE "C" NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX quarantined_content_of_owner ON quarantined_content (owner_uid);
CREATE INDEX quarantined_content_by_time ON quarantined_content (kept_at);
CREATE UNIQUE INDEX quarantined_content_by_blob ON quarantined_content (blob_key);
`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}
