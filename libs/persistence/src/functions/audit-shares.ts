import { SHARE_TYPES } from '#sharing';
import { AUDIT_BOUNDS } from '../audit-bounds';
import { LISTED } from '../received-states';

const { user: USER, group: GROUP, link: LINK } = SHARE_TYPES;

/** Decisions on shares, received shares and deleted files in the audit log. */
export const AUDIT_SHARES = `
CREATE OR REPLACE FUNCTION audit_share_facts(told share) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('type', CASE told.share_type WHEN ${USER} THEN 'user' WHEN ${GROUP} THEN 'group' WHEN ${LINK} THEN 'link' ELSE 'federated' END,
    'node', told.node_id, 'owner', told.owner_uid, 'initiator', told.initiator_uid, 'recipient', left(told.recipient, ${AUDIT_BOUNDS.name}),
    'permissions', told.permissions, 'expires', told.expires_on)
$$;

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
CREATE OR REPLACE TRIGGER share_audited AFTER INSERT OR DELETE ON share FOR EACH ROW EXECUTE FUNCTION audit_share();

CREATE OR REPLACE FUNCTION audit_share_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('share.update', 'share', NEW.id::text, jsonb_build_object(
    'permissions', CASE WHEN NEW.permissions <> OLD.permissions THEN NEW.permissions END,
    'permissionsBefore', CASE WHEN NEW.permissions <> OLD.permissions THEN OLD.permissions END,
    'expires', CASE WHEN NEW.expires_on IS DISTINCT FROM OLD.expires_on THEN coalesce(NEW.expires_on::text, 'never') END,
    'attributes', CASE WHEN NEW.attributes IS DISTINCT FROM OLD.attributes THEN 'changed' END,
    'note', CASE WHEN NEW.note IS DISTINCT FROM OLD.note THEN 'changed' END,
    'name', CASE WHEN NEW.name IS DISTINCT FROM OLD.name THEN 'changed' END,
    'password', CASE WHEN NEW.password_hash IS DISTINCT FROM OLD.password_hash
      THEN CASE WHEN NEW.password_hash IS NULL THEN 'removed' ELSE 'set' END END));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_update_audited AFTER UPDATE OF permissions, expires_on, attributes, note, name, password_hash
  ON share FOR EACH ROW
  WHEN (NEW.permissions IS DISTINCT FROM OLD.permissions OR NEW.expires_on IS DISTINCT FROM OLD.expires_on
    OR NEW.attributes IS DISTINCT FROM OLD.attributes OR NEW.note IS DISTINCT FROM OLD.note OR NEW.name IS DISTINCT FROM OLD.name
    OR NEW.password_hash IS DISTINCT FROM OLD.password_hash)
  EXECUTE FUNCTION audit_share_update();

-- The answer of the recipient's server. A refused share counts as declined, and that is no answer of the server.
CREATE OR REPLACE FUNCTION audit_share_answer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  host text := audit_host(NEW.peer_id);
  facts jsonb := jsonb_build_object('recipient', left(NEW.recipient, ${AUDIT_BOUNDS.name}), 'source', NEW.acceptance_source,
    'reason', NEW.decline_reason);
BEGIN
  IF NEW.delivery_state = 'refused' THEN
    IF OLD.delivery_state <> 'refused' THEN
      PERFORM audit('share.answer', 'share', NEW.id::text, facts, 'refused', 'partner', host);
    END IF;
  ELSIF NEW.acceptance <> OLD.acceptance THEN
    PERFORM audit(CASE NEW.acceptance WHEN 'accepted' THEN 'share.accept' WHEN 'left' THEN 'share.leave' ELSE 'share.decline' END,
      'share', NEW.id::text, facts, 'done', 'partner', host);
  END IF;
  IF NEW.via_owner = 'granted' AND OLD.via_owner = 'asked' THEN
    PERFORM audit('reshare.granted', 'share', NEW.id::text, jsonb_build_object('recipient', left(NEW.recipient, ${AUDIT_BOUNDS.name})), 'done',
      'partner', host);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_answer_audited AFTER UPDATE OF delivery_state, acceptance, via_owner ON share FOR EACH ROW
  WHEN ((NEW.delivery_state = 'refused' AND OLD.delivery_state <> 'refused') OR NEW.acceptance <> OLD.acceptance
    OR (NEW.via_owner = 'granted' AND OLD.via_owner = 'asked'))
  EXECUTE FUNCTION audit_share_answer();

CREATE OR REPLACE FUNCTION audit_share_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('share.see', 'share', NEW.id::text, jsonb_build_object('recipient', left(NEW.recipient, ${AUDIT_BOUNDS.name})), 'done', 'partner',
    audit_host(NEW.peer_id));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_seen_audited AFTER UPDATE OF seen_at ON share FOR EACH ROW
  WHEN (OLD.seen_at IS NULL AND NEW.seen_at IS NOT NULL) EXECUTE FUNCTION audit_share_seen();

CREATE OR REPLACE FUNCTION audit_share_reminder() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('share.remind', 'share', NEW.id::text, jsonb_build_object('expires', NEW.expires_on), 'done', 'system');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_reminder_audited AFTER UPDATE OF reminded_of ON share FOR EACH ROW
  WHEN (NEW.reminded_of IS DISTINCT FROM OLD.reminded_of AND NEW.reminded_of IS NOT NULL) EXECUTE FUNCTION audit_share_reminder();

CREATE OR REPLACE FUNCTION audit_share_read() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('share.read', 'share', NEW.id::text, '{}', 'done', 'partner', audit_host(NEW.peer_id));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_read_audited AFTER UPDATE OF first_read_at ON share FOR EACH ROW
  WHEN (OLD.first_read_at IS NULL AND NEW.first_read_at IS NOT NULL) EXECUTE FUNCTION audit_share_read();

-- Rows made by the gateway itself, for a new share or a member who sees it first, are no decisions.
CREATE OR REPLACE FUNCTION audit_share_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE NEW.state WHEN 0 THEN 'share.accept' WHEN 2 THEN 'share.decline' ELSE 'share.reconsider' END, 'share',
    NEW.share_id::text, jsonb_build_object('recipient', NEW.uid), 'done', 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_recipient_audited AFTER UPDATE OF state ON share_recipient FOR EACH ROW
  WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION audit_share_recipient();
CREATE OR REPLACE TRIGGER share_recipient_first_audited AFTER INSERT ON share_recipient FOR EACH ROW
  WHEN (current_setting('drawbridge.acting', true) <> '' AND (NEW.state = 2 OR NEW.file_target IS NOT NULL))
  EXECUTE FUNCTION audit_share_recipient();

CREATE OR REPLACE FUNCTION audit_trashed_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE WHEN NEW.trashed_at IS NULL THEN 'share.return' ELSE 'share.hide' END, 'share', NEW.id::text, audit_share_facts(NEW));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_trashed_audited AFTER UPDATE OF trashed_at
  ON share FOR EACH ROW WHEN (NEW.trashed_at IS DISTINCT FROM OLD.trashed_at)
  EXECUTE FUNCTION audit_trashed_share();

CREATE OR REPLACE FUNCTION audit_received_share() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told received_share := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  host text := audit_host(told.peer_id);
  facts jsonb := jsonb_build_object('host', host, 'recipient', told.recipient_uid, 'owner', left(told.owner, ${AUDIT_BOUNDS.name}));
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('received-share.offer', 'received-share', told.id::text,
      facts || jsonb_build_object('sender', left(told.sender, ${AUDIT_BOUNDS.name}), 'permissions', told.permissions), 'done', 'partner', host);
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM audit('received-share.delete', 'received-share', told.id::text, facts);
  ELSE
    IF NEW.state <> OLD.state THEN
      PERFORM audit(CASE WHEN OLD.state = 'quarantined' AND NEW.state = 'accepted' THEN 'received-share.restore'
        ELSE 'received-share.' || CASE NEW.state WHEN 'accepted' THEN 'accept' WHEN 'declined' THEN 'decline' WHEN 'gone' THEN 'end'
          WHEN 'quarantined' THEN 'quarantine' ELSE 'reconsider' END END,
        'received-share', told.id::text, facts || jsonb_build_object('before', OLD.state));
    END IF;
    IF NEW.permissions <> OLD.permissions THEN
      PERFORM audit('received-share.update', 'received-share', told.id::text,
        facts || jsonb_build_object('permissions', NEW.permissions, 'permissionsBefore', OLD.permissions), 'done', 'partner', host);
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER received_share_audited AFTER INSERT ON received_share FOR EACH ROW EXECUTE FUNCTION audit_received_share();
CREATE OR REPLACE TRIGGER received_share_change_audited AFTER UPDATE OF state, permissions ON received_share FOR EACH ROW
  WHEN (NEW.state <> OLD.state OR NEW.permissions <> OLD.permissions) EXECUTE FUNCTION audit_received_share();
CREATE OR REPLACE TRIGGER received_share_end_audited AFTER DELETE ON received_share FOR EACH ROW
  WHEN (OLD.state IN ${LISTED}) EXECUTE FUNCTION audit_received_share();

-- Owners who delete what is theirs are not recorded, nor is what a clean-up removes.
CREATE OR REPLACE FUNCTION audit_trashed_node() RETURNS trigger LANGUAGE plpgsql AS $$
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
  facts := jsonb_build_object('owner', told.owner_uid, 'path', left(told.folder_path || '/' || told.name, ${AUDIT_BOUNDS.path}), 'share', told.share_id,
    'through', CASE told.actor_kind WHEN 'visitor' THEN 'link' END);
  IF TG_OP = 'INSERT' AND told.actor_kind = 'partner' THEN
    PERFORM audit('file.delete', 'file', told.node_id::text, facts, 'done', 'partner', told.actor);
  ELSE
    PERFORM audit(CASE WHEN TG_OP = 'INSERT' THEN 'file.delete' WHEN is_restored THEN 'file.restore' ELSE 'file.purge' END,
      'file', told.node_id::text, facts);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER trashed_node_audited AFTER INSERT OR DELETE ON trashed_node FOR EACH ROW EXECUTE FUNCTION audit_trashed_node();
`;
