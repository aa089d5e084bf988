import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contents that wait to be written into folders of partners. */
export class StoredWrites1764000000150 implements MigrationInterface {
  readonly name = 'StoredWrites1764000000150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(STORED_WRITES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const STORED_WRITES = `
CREATE TABLE stored_write (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  received_share_id bigint NOT NULL,
  peer_id bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  node_id bigint REFERENCES node (id) ON DELETE SET NULL,
  writer_uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  share_name text NOT NULL,
  host_key text COLLATE "C" NOT NULL,
  size bigint NOT NULL CHECK (size >= 0),
  sha1 text COLLATE "C" NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  mtime timestamptz NOT NULL,
  expects text,
  sent_sha1 text COLLATE "C",
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  held_until timestamptz,
  refusal text COLLATE "C",
  last_error text,
  stored_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX stored_write_due ON stored_write (due_at);
CREATE INDEX stored_write_of_share ON stored_write (received_share_id);
CREATE INDEX stored_write_of_node ON stored_write (node_id);
CREATE INDEX stored_write_of_writer ON stored_write (writer_uid);
CREATE INDEX stored_write_of_peer ON stored_write (peer_id);
CREATE UNIQUE INDEX stored_write_by_blob ON stored_write (blob_key);
`;
