import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted files and folders stay in a trash bin, with their shares, until they are restored or removed for good. */
export class TrashBin1764000000045 implements MigrationInterface {
  readonly name = 'TrashBin1764000000045';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PLACES);
    await runner.query(TABLES);
    await runner.query(SHARES);
    await runner.query(AUDIT);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

/** Older rows fulfil both checks, so nothing is read while the table is locked; the next migration validates them. */
const PLACES = `
-- A node in the trash bin keeps its storage. Its path is '~' and its id, which no path of a request can be; it has no parent.
ALTER TABLE node DROP CONSTRAINT node_check1, DROP CONSTRAINT node_path_check,
  ADD CONSTRAINT node_check1 CHECK ((parent_id IS NULL) = (strpos(path, '/') = 0)) NOT VALID,
  ADD CONSTRAINT node_path_check CHECK (octet_length(path) <= CASE WHEN starts_with(path, '~') THEN 4024 ELSE 4000 END) NOT VALID;
`;

const TABLES = `
CREATE TABLE trashed_node (
  node_id bigint PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
  owner_uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  folder_path text COLLATE "C" NOT NULL,
  deleted_at timestamptz NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  actor text,
  share_id bigint
);
CREATE UNIQUE INDEX trashed_node_once ON trashed_node (owner_uid, name, deleted_at);
CREATE INDEX trashed_node_by_time ON trashed_node (owner_uid, deleted_at, node_id);
CREATE INDEX trashed_node_oldest ON trashed_node (deleted_at, node_id);

CREATE TABLE trashed_offer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node_id bigint NOT NULL REFERENCES node (id) ON DELETE CASCADE,
  initiator_uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  recipient text COLLATE "C" NOT NULL,
  recipient_canonical text COLLATE "C" NOT NULL,
  permissions smallint NOT NULL,
  expires_on date,
  link_id bigint REFERENCES share (id) ON DELETE CASCADE
);
CREATE INDEX trashed_offer_by_node ON trashed_offer (node_id);
CREATE INDEX trashed_offer_by_initiator ON trashed_offer (initiator_uid);
CREATE INDEX trashed_offer_by_link ON trashed_offer (link_id) WHERE link_id IS NOT NULL;
`;

const SHARES = `
-- trashed_at: the node is in the trash bin, and the share is as if it were gone.
ALTER TABLE share ADD COLUMN trashed_at timestamptz;

-- A new share of a node that is being deleted waits here, and then finds the node gone.
CREATE FUNCTION refuse_share_of_trashed_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM node WHERE id = NEW.node_id AND starts_with(path, '~') FOR KEY SHARE) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the node is in the trash bin';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER share_of_trashed_node BEFORE INSERT ON share FOR EACH ROW EXECUTE FUNCTION refuse_share_of_trashed_node();
`;

const AUDIT = `
-- Owners who delete what is theirs are not recorded, nor is what a clean-up removes.
CREATE FUNCTION audit_trashed_node() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told trashed_node := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  acting jsonb := audit_acting();
  facts jsonb;
  is_restored boolean := TG_OP = 'DELETE' AND EXISTS (SELECT FROM node WHERE id = told.node_id);
BEGIN
  IF TG_OP = 'INSERT' AND told.actor_kind = 'user' AND told.actor = told.owner_uid
    OR TG_OP = 'DELETE' AND NOT is_restored AND coalesce(acting ->> 'kind', 'system') = 'system'
    OR NOT EXISTS (SELECT FROM user_account WHERE uid = told.owner_uid) THEN
    RETURN NULL;
  END IF;
  facts := jsonb_build_object('owner', told.owner_uid, 'path', left(told.folder_path || '/' || told.name, 1000), 'share', told.share_id,
    'through', CASE told.actor_kind WHEN 'visitor' THEN 'link' END);
  IF TG_OP = 'INSERT' AND told.actor_kind = 'partner' THEN
    PERFORM audit('file.delete', 'file', told.node_id::text, facts, 'done', 'partner', told.actor);
  ELSE
    PERFORM audit(CASE WHEN TG_OP = 'INSERT' THEN 'file.delete' WHEN is_restored THEN 'file.restore' ELSE 'file.purge' END,
      'file', told.node_id::text, facts);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER trashed_node_audited AFTER INSERT OR DELETE ON trashed_node FOR EACH ROW EXECUTE FUNCTION audit_trashed_node();

CREATE FUNCTION audit_trashed_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE WHEN NEW.trashed_at IS NULL THEN 'share.return' ELSE 'share.hide' END, 'share', NEW.id::text, audit_share_facts(NEW));
  RETURN NULL;
END $$;
CREATE TRIGGER share_trashed_audited AFTER UPDATE OF trashed_at ON share FOR EACH ROW WHEN (NEW.trashed_at IS DISTINCT FROM OLD.trashed_at)
  EXECUTE FUNCTION audit_trashed_share();

CREATE OR REPLACE FUNCTION audit_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit(CASE WHEN NEW.requester_peer_id IS NULL THEN 'share.create' ELSE 'reshare.grant' END, 'share', NEW.id::text,
      audit_share_facts(NEW) || jsonb_build_object('password', nullif(NEW.password_hash IS NOT NULL, false)));
  ELSIF OLD.expires_on < current_date THEN
    PERFORM audit('share.expire', 'share', OLD.id::text, audit_share_facts(OLD), 'done', 'system');
  ELSIF OLD.acceptance IS NULL OR OLD.acceptance NOT IN ('declined', 'left') THEN
    PERFORM audit('share.delete', 'share', OLD.id::text, audit_share_facts(OLD) || jsonb_build_object('because', CASE
      WHEN NOT EXISTS (SELECT FROM node WHERE id = OLD.node_id AND NOT starts_with(path, '~')) THEN 'node-deleted' END));
  END IF;
  RETURN NULL;
END $$;
`;
