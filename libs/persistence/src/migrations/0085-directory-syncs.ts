import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Directories that are read: the place of each person, people who are gone, and the state of the reading. */
export class DirectorySyncs1764000000085 implements MigrationInterface {
  readonly name = 'DirectorySyncs1764000000085';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DIRECTORY_SYNCS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const DIRECTORY_SYNCS = `
ALTER TABLE external_identity ADD COLUMN place text, ADD COLUMN gone_at timestamptz;
ALTER TABLE external_identity ADD CONSTRAINT external_identity_place_check CHECK (char_length(place) <= 2048);
ALTER TABLE external_group ADD COLUMN gone_at timestamptz;
CREATE TABLE directory_sync (
  kind text COLLATE "C" NOT NULL CONSTRAINT directory_sync_kind_check CHECK (kind IN ('oidc', 'ldap', 'scim')),
  source text COLLATE "C" NOT NULL CONSTRAINT directory_sync_source_check CHECK (char_length(source) BETWEEN 1 AND 512),
  mark text CONSTRAINT directory_sync_mark_check CHECK (char_length(mark) <= 64),
  read_at timestamptz,
  read_fully_at timestamptz,
  people integer NOT NULL DEFAULT 0,
  groups integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  held_back text CONSTRAINT directory_sync_held_back_check CHECK (char_length(held_back) <= 500),
  failure text CONSTRAINT directory_sync_failure_check CHECK (char_length(failure) <= 500),
  failed_at timestamptz,
  PRIMARY KEY (kind, source)
);
`;
