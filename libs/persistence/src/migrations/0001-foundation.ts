import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts, groups, the node tree, local shares, settings and capability entries.
 *
 * Triggers announce changes of everything that replicas keep in memory (accounts, memberships, settings, capability
 * entries) on channel `drawbridge_changes`, so that no writer can forget it.
 */
export class Foundation1764000000001 implements MigrationInterface {
  readonly name = 'Foundation1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ACCOUNTS);
    await runner.query(NODES);
    await runner.query(SHARES);
    await runner.query(OPERATION);
    await runner.query(ANNOUNCEMENTS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const ACCOUNTS = `
CREATE TABLE user_account (
  uid text COLLATE "C" PRIMARY KEY CHECK (char_length(uid) BETWEEN 1 AND 64),
  display_name text NOT NULL,
  email text,
  password_hash text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  quota_bytes bigint CHECK (quota_bytes >= 0),
  language text NOT NULL DEFAULT 'en',
  credentials_version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz
);
CREATE UNIQUE INDEX user_account_uid_folded ON user_account (lower(uid));
CREATE INDEX user_account_email_folded ON user_account (lower(email)) WHERE email IS NOT NULL;

CREATE TABLE user_group (
  gid text COLLATE "C" PRIMARY KEY CHECK (char_length(gid) BETWEEN 1 AND 64),
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO user_group (gid) VALUES ('admin');

CREATE TABLE group_member (
  gid text COLLATE "C" NOT NULL REFERENCES user_group ON DELETE CASCADE,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  PRIMARY KEY (gid, uid)
);
CREATE INDEX group_member_by_user ON group_member (uid, gid);

CREATE TABLE group_subadmin (
  gid text COLLATE "C" NOT NULL REFERENCES user_group ON DELETE CASCADE,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  PRIMARY KEY (gid, uid)
);
CREATE INDEX group_subadmin_by_user ON group_subadmin (uid, gid);

CREATE TABLE user_preference (
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  app text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (uid, app, key)
);

CREATE TABLE throttle (
  bucket text COLLATE "C" PRIMARY KEY,
  failures integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);
CREATE INDEX throttle_window ON throttle (window_ends_at);
`;

const NODES = `
CREATE TABLE storage (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  owner_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE
);
CREATE UNIQUE INDEX storage_by_owner ON storage (owner_uid);

-- The root of a storage has path '' and no parent; every other path starts with '/'.
CREATE TABLE node (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  storage_id integer NOT NULL REFERENCES storage ON DELETE CASCADE,
  parent_id bigint REFERENCES node ON DELETE CASCADE,
  owner_uid text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL CHECK (octet_length(name) <= 255),
  path text COLLATE "C" NOT NULL CHECK (octet_length(path) <= 4000),
  path_hash uuid GENERATED ALWAYS AS (md5(path)::uuid) STORED,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('file', 'folder')),
  mimetype text NOT NULL,
  size bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  mtime timestamptz NOT NULL,
  etag text NOT NULL,
  blob_key text COLLATE "C",
  checksum text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'file') = (blob_key IS NOT NULL)),
  CHECK ((parent_id IS NULL) = (path = ''))
);
CREATE UNIQUE INDEX node_by_path ON node (storage_id, path_hash);
CREATE UNIQUE INDEX node_by_parent ON node (parent_id, name);
CREATE UNIQUE INDEX node_by_blob ON node (blob_key) WHERE blob_key IS NOT NULL;

CREATE TABLE dead_property (
  node_id bigint NOT NULL REFERENCES node ON DELETE CASCADE,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (node_id, namespace, name)
);
`;

const SHARES = `
-- share_type: 0 user, 1 group, 3 public link, 6 federated. permissions: 1 read, 2 update, 4 create, 8 delete, 16 share.
CREATE TABLE share (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  share_type smallint NOT NULL CHECK (share_type IN (0, 1, 3, 6)),
  node_id bigint NOT NULL REFERENCES node ON DELETE CASCADE,
  owner_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  initiator_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  recipient text COLLATE "C",
  recipient_canonical text COLLATE "C",
  permissions smallint NOT NULL CHECK (permissions BETWEEN 0 AND 31),
  file_target text COLLATE "C" NOT NULL DEFAULT '',
  initial_state smallint NOT NULL DEFAULT 0 CHECK (initial_state IN (0, 1, 2)),
  token_hmac bytea,
  token_enc bytea,
  password_hash text,
  expires_on date,
  name text CHECK (octet_length(name) <= 256),
  attributes text,
  parent_id bigint REFERENCES share ON DELETE CASCADE,
  mail_sent boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX share_by_token ON share (token_hmac) WHERE token_hmac IS NOT NULL;
CREATE UNIQUE INDEX share_once ON share (node_id, share_type, recipient_canonical) WHERE share_type IN (0, 1, 6);
CREATE INDEX share_by_initiator ON share (initiator_uid, share_type, id);
CREATE INDEX share_by_owner ON share (owner_uid, share_type, id);
CREATE INDEX share_by_recipient ON share (recipient_canonical, share_type, id) WHERE share_type IN (0, 1);
CREATE INDEX share_by_node ON share (node_id, id);
CREATE INDEX share_by_parent ON share (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX share_by_expiry ON share (expires_on) WHERE expires_on IS NOT NULL;

-- The personal row of a user or group share. state: 0 accepted, 1 pending, 2 declined.
-- file_target is where the recipient sees the node; NULL until it was placed without a collision.
CREATE TABLE share_recipient (
  share_id bigint NOT NULL REFERENCES share ON DELETE CASCADE,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  state smallint NOT NULL CHECK (state IN (0, 1, 2)),
  file_target text COLLATE "C" CHECK (octet_length(file_target) <= 4000),
  target_hash uuid GENERATED ALWAYS AS (md5(file_target)::uuid) STORED,
  folder_hash uuid GENERATED ALWAYS AS (md5(regexp_replace(file_target, '/[^/]*$', ''))::uuid) STORED,
  PRIMARY KEY (share_id, uid)
);
CREATE INDEX share_recipient_by_user ON share_recipient (uid, state, share_id);
CREATE INDEX share_recipient_by_target ON share_recipient (uid, target_hash) WHERE state = 0;
CREATE INDEX share_recipient_by_folder ON share_recipient (uid, folder_hash) WHERE state = 0;
CREATE INDEX share_recipient_unplaced ON share_recipient (uid) WHERE state = 0 AND file_target IS NULL;
CREATE INDEX share_recipient_below ON share_recipient (uid, file_target) WHERE state = 0;

-- Links that ended because what they shared was deleted: clients are told "not found" there, and "not authorised" for
-- a token that never was or was taken back.
CREATE TABLE link_of_deleted_node (
  token_hmac bytea PRIMARY KEY,
  ended_at timestamptz NOT NULL DEFAULT now()
);
`;

const OPERATION = `
CREATE TABLE setting (
  app text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (app, key)
);

CREATE TABLE capability_entry (
  app text COLLATE "C" PRIMARY KEY,
  entry jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- One row: the name of this instance in ids that clients keep, and the fingerprint of its encryption key.
CREATE TABLE instance (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  instance_id text NOT NULL,
  key_check bytea,
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO instance (instance_id) VALUES ('oc' || substr(md5(random()::text || clock_timestamp()::text), 1, 10));
`;

const ANNOUNCEMENTS = `
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM pg_notify('drawbridge_changes', TG_ARGV[0] || ':' || (to_jsonb(OLD) ->> TG_ARGV[1]));
  ELSE
    PERFORM pg_notify('drawbridge_changes', TG_ARGV[0] || ':' || (to_jsonb(NEW) ->> TG_ARGV[1]));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER user_account_changed AFTER INSERT OR DELETE OR UPDATE OF display_name, email, password_hash, enabled, quota_bytes, language, credentials_version
  ON user_account FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE TRIGGER group_member_changed AFTER INSERT OR DELETE ON group_member FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE TRIGGER group_subadmin_changed AFTER INSERT OR DELETE ON group_subadmin FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE TRIGGER user_preference_changed AFTER INSERT OR UPDATE OR DELETE ON user_preference FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE TRIGGER user_group_changed AFTER INSERT OR DELETE ON user_group FOR EACH ROW EXECUTE FUNCTION announce_change('group', 'gid');
CREATE TRIGGER setting_changed AFTER INSERT OR UPDATE OR DELETE ON setting FOR EACH ROW EXECUTE FUNCTION announce_change('setting', 'app');
CREATE TRIGGER capability_entry_changed AFTER INSERT OR UPDATE OR DELETE ON capability_entry FOR EACH ROW EXECUTE FUNCTION announce_change('capability', 'app');
`;
