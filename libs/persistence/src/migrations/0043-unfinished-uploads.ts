import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uploads in parts: the parts are stored until the file is complete. */
export class UnfinishedUploads1764000000043 implements MigrationInterface {
  readonly name = 'UnfinishedUploads1764000000043';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UPLOADS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const UPLOADS = `
CREATE TABLE upload (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('chunks', 'named-chunks', 'tus', 'tus-partial')),
  name text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 255),
  uid text COLLATE "C" REFERENCES user_account (uid) ON DELETE CASCADE,
  share_id bigint REFERENCES share (id) ON DELETE CASCADE,
  storage_id integer NOT NULL REFERENCES storage (id) ON DELETE CASCADE,
  target text COLLATE "C" CHECK (octet_length(target) <= 4000),
  total_size bigint CHECK (total_size >= 0),
  replaces_bytes bigint NOT NULL DEFAULT 0 CHECK (replaces_bytes >= 0),
  received_bytes bigint NOT NULL DEFAULT 0 CHECK (received_bytes >= 0),
  revision bigint NOT NULL DEFAULT 0,
  told jsonb NOT NULL DEFAULT '{}',
  finished_node_id bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  touched_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((uid IS NULL) <> (share_id IS NULL))
);
CREATE UNIQUE INDEX upload_of_user ON upload (uid, name) WHERE uid IS NOT NULL;
CREATE UNIQUE INDEX upload_of_share ON upload (share_id, name) WHERE share_id IS NOT NULL;
CREATE INDEX upload_by_storage ON upload (storage_id);
CREATE INDEX upload_by_touch ON upload (touched_at);

CREATE TABLE upload_part (
  upload_id bigint NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 255),
  size bigint NOT NULL CHECK (size >= 0),
  blob_key text COLLATE "C" NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (upload_id, name)
);
CREATE UNIQUE INDEX upload_part_by_blob ON upload_part (blob_key);
`;
