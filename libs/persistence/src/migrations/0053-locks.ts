import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Locks of files and folders by WebDAV. */
export class Locks1764000000053 implements MigrationInterface {
  readonly name = 'Locks1764000000053';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LOCKS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const LOCKS = `
CREATE TABLE node_lock (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token uuid NOT NULL,
  node_id bigint NOT NULL REFERENCES node (id) ON DELETE CASCADE,
  storage_id integer NOT NULL REFERENCES storage (id) ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('token', 'user')),
  is_exclusive boolean NOT NULL,
  is_deep boolean NOT NULL,
  uid text COLLATE "C" REFERENCES user_account (uid) ON DELETE CASCADE,
  share_id bigint REFERENCES share (id) ON DELETE CASCADE,
  owner_xml text CHECK (octet_length(owner_xml) <= 4096),
  timeout_seconds integer NOT NULL CHECK (timeout_seconds > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  CHECK ((uid IS NULL) <> (share_id IS NULL)),
  CHECK (kind = 'token' OR (uid IS NOT NULL AND is_exclusive AND NOT is_deep))
);
CREATE UNIQUE INDEX node_lock_by_token ON node_lock (token);
CREATE INDEX node_lock_by_node ON node_lock (node_id);
CREATE INDEX node_lock_by_storage ON node_lock (storage_id);
CREATE INDEX node_lock_by_user ON node_lock (uid) WHERE uid IS NOT NULL;
CREATE INDEX node_lock_by_share ON node_lock (share_id) WHERE share_id IS NOT NULL;
CREATE INDEX node_lock_by_end ON node_lock (expires_at);
`;
