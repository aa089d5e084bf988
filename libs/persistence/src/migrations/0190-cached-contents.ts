import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contents of partners' files that were read, for the next readers. */
export class CachedContents1764000000190 implements MigrationInterface {
  readonly name = 'CachedContents1764000000190';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CACHED_CONTENTS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const CACHED_CONTENTS = `
CREATE TABLE cached_content (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id bigint REFERENCES node (id) ON DELETE SET NULL,
  etag text COLLATE "C" NOT NULL,
  size bigint NOT NULL CHECK (size >= 0),
  mtime timestamptz,
  blob_key text COLLATE "C" NOT NULL,
  checked_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX cached_content_of_node ON cached_content (node_id);
CREATE INDEX cached_content_by_time ON cached_content (checked_at);
CREATE UNIQUE INDEX cached_content_by_blob ON cached_content (blob_key);
`;
