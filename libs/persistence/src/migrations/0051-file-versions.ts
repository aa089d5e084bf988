import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replaced contents of files are kept as versions, with their authors. */
export class FileVersions1764000000051 implements MigrationInterface {
  readonly name = 'FileVersions1764000000051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AUTHORS);
    await runner.query(VERSIONS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

/** There is no default, so that no row is written: the authors of older contents are unknown. */
const AUTHORS = `
ALTER TABLE node ADD COLUMN author_kind text COLLATE "C", ADD COLUMN author text, ADD COLUMN stored_at timestamptz;
ALTER TABLE storage ADD COLUMN version_bytes bigint NOT NULL DEFAULT 0;
`;

const VERSIONS = `
CREATE TABLE file_version (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id bigint NOT NULL REFERENCES node (id) ON DELETE CASCADE,
  size bigint NOT NULL CHECK (size > 0),
  mtime timestamptz NOT NULL,
  etag text NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  checksum text,
  author_kind text COLLATE "C",
  author text,
  stored_at timestamptz NOT NULL,
  label text
);
CREATE INDEX file_version_by_node ON file_version (node_id, id);
CREATE UNIQUE INDEX file_version_by_blob ON file_version (blob_key);
`;
