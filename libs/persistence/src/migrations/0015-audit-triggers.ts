export const SHARES = `
CREATE FUNCTION audit_share_facts(told share) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('type', CASE told.share_type WHEN 0 THEN 'user' WHEN 1 THEN 'group' WHEN 3 THEN 'link' ELSE 'federated' END,
    'node', told.node_id, 'owner', told.owner_uid, 'initiator', told.initiator_uid, 'recipient', left(told.recipient, 512),
    'permissions', told.permissions, 'expires', told.expires_on)
$$;

-- A share that its recipient declined or left, or that was refused, was recorded as that when it was said.
CREATE FUNCTION audit_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit(CASE WHEN NEW.requester_peer_id IS NULL THEN 'share.create' ELSE 'reshare.grant' END, 'share', NEW.id::text,
      audit_share_facts(NEW) || jsonb_build_object('password', nullif(NEW.password_hash IS NOT NULL, false)));
  ELSIF OLD.expires_on < current_date THEN
    PERFORM audit('share.expire', 'share', OLD.id::text, audit_share_facts(OLD), 'done', 'system');
  ELSIF OLD.acceptance IS NULL OR OLD.acceptance NOT IN ('declined', 'left') THEN
    PERFORM audit('share.delete', 'share', OLD.id::text, audit_share_facts(OLD) || jsonb_build_object('because', CASE
      WHEN NOT EXISTS (SELECT FROM node WHERE id = OLD.node_id) THEN 'node-deleted' END));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER share_audited AFTER INSERT OR DELETE ON share FOR EACH ROW EXECUTE FUNCTION audit_share();

CREATE FUNCTION audit_share_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('share.update', 'share', NEW.id::text, jsonb_build_object(
    'permissions', CASE WHEN NEW.permissions <> OLD.permissions THEN NEW.permissions END,
    'permissionsBefore', CASE WHEN NEW.permissions <> OLD.permissions THEN OLD.permissions END,
    'expires', CASE WHEN NEW.expires_on IS DISTINCT FROM OLD.expires_on THEN coalesce(NEW.expires_on::text, 'never') END,
    'attributes', CASE WHEN NEW.attributes IS DISTINCT FROM OLD.attributes THEN 'changed' END,
    'name', CASE WHEN NEW.name IS DISTINCT FROM OLD.name THEN 'changed' END,
    'password', CASE WHEN NEW.password_hash IS DISTINCT FROM OLD.password_hash
      THEN CASE WHEN NEW.password_hash IS NULL THEN 'removed' ELSE 'set' END END));
  RETURN NULL;
END $$;
CREATE TRIGGER share_update_audited AFTER UPDATE OF permissions, expires_on, attributes, name, password_hash ON share FOR EACH ROW
  WHEN (NEW.permissions IS DISTINCT FROM OLD.permissions OR NEW.expires_on IS DISTINCT FROM OLD.expires_on
    OR NEW.attributes IS DISTINCT FROM OLD.attributes OR NEW.name IS DISTINCT FROM OLD.name
    OR NEW.password_hash IS DISTINCT FROM OLD.password_hash)
  EXECUTE FUNCTION audit_share_update();

-- The answer of the recipient's server, by whatever code it is written down. That a share which it refused counts as
-- declined is no word of it.
CREATE FUNCTION audit_share_answer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  host text := audit_host(NEW.peer_id);
  facts jsonb := jsonb_build_object('recipient', left(NEW.recipient, 512), 'source', NEW.acceptance_source);
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
    PERFORM audit('reshare.granted', 'share', NEW.id::text, jsonb_build_object('recipient', left(NEW.recipient, 512)), 'done',
      'partner', host);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER share_answer_audited AFTER UPDATE OF delivery_state, acceptance, via_owner ON share FOR EACH ROW
  WHEN ((NEW.delivery_state = 'refused' AND OLD.delivery_state <> 'refused') OR NEW.acceptance <> OLD.acceptance
    OR (NEW.via_owner = 'granted' AND OLD.via_owner = 'asked'))
  EXECUTE FUNCTION audit_share_answer();

-- Rows that are made without anybody's word, when a share is made or first seen by a member of its group, are no decisions.
CREATE FUNCTION audit_share_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE NEW.state WHEN 0 THEN 'share.accept' WHEN 2 THEN 'share.decline' ELSE 'share.reconsider' END, 'share',
    NEW.share_id::text, jsonb_build_object('recipient', NEW.uid), 'done', 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE TRIGGER share_recipient_audited AFTER UPDATE OF state ON share_recipient FOR EACH ROW
  WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION audit_share_recipient();
CREATE TRIGGER share_recipient_first_audited AFTER INSERT ON share_recipient FOR EACH ROW
  WHEN (current_setting('drawbridge.acting', true) <> '' AND (NEW.state = 2 OR NEW.file_target IS NOT NULL))
  EXECUTE FUNCTION audit_share_recipient();
`;

export const RECEIVED_SHARES = `
CREATE FUNCTION audit_received_share() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told received_share := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  host text := audit_host(told.peer_id);
  facts jsonb := jsonb_build_object('host', host, 'recipient', told.recipient_uid, 'owner', left(told.owner, 512));
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('received-share.offer', 'received-share', told.id::text,
      facts || jsonb_build_object('sender', left(told.sender, 512), 'permissions', told.permissions), 'done', 'partner', host);
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
CREATE TRIGGER received_share_audited AFTER INSERT ON received_share FOR EACH ROW EXECUTE FUNCTION audit_received_share();
CREATE TRIGGER received_share_change_audited AFTER UPDATE OF state, permissions ON received_share FOR EACH ROW
  WHEN (NEW.state <> OLD.state OR NEW.permissions <> OLD.permissions) EXECUTE FUNCTION audit_received_share();
CREATE TRIGGER received_share_end_audited AFTER DELETE ON received_share FOR EACH ROW
  WHEN (OLD.state IN ('pending', 'accepted', 'quarantined')) EXECUTE FUNCTION audit_received_share();
`;

export const PARTNERS = `
CREATE FUNCTION audit_peer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before peer := CASE TG_OP WHEN 'UPDATE' THEN OLD END;
BEGIN
  IF NEW.trust <> coalesce(before.trust, 'unknown') OR NEW.outgoing_trust IS DISTINCT FROM before.outgoing_trust THEN
    PERFORM audit('partner.trust', 'partner', NEW.host_key, jsonb_build_object('trust', NEW.trust, 'outgoing', NEW.outgoing_trust,
      'trustBefore', before.trust, 'outgoingBefore', before.outgoing_trust));
  END IF;
  IF NEW.paused <> coalesce(before.paused, false) THEN
    PERFORM audit(CASE WHEN NEW.paused THEN 'partner.pause' ELSE 'partner.resume' END, 'partner', NEW.host_key);
  END IF;
  IF NEW.pinned_profile IS DISTINCT FROM before.pinned_profile THEN
    PERFORM audit(CASE WHEN NEW.pinned_profile IS NULL THEN 'partner.unpin' ELSE 'partner.pin' END, 'partner', NEW.host_key);
  END IF;
  IF NEW.signatures IS DISTINCT FROM before.signatures THEN
    PERFORM audit('partner.signatures', 'partner', NEW.host_key,
      jsonb_build_object('demanded', coalesce(NEW.signatures, 'as set'), 'before', before.signatures));
  END IF;
  IF NEW.alias_of IS DISTINCT FROM before.alias_of THEN
    PERFORM audit('partner.rename', 'partner', NEW.host_key, jsonb_build_object('to', audit_host(NEW.alias_of)));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER peer_audited AFTER INSERT OR UPDATE OF trust, outgoing_trust, paused, pinned_profile, signatures, alias_of ON peer
  FOR EACH ROW EXECUTE FUNCTION audit_peer();

-- Which keys a partner has, by their fingerprint: that they changed is what somebody may want to know later.
CREATE FUNCTION audit_partner_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('partner.keys', 'partner', audit_host(NEW.peer_id), jsonb_build_object(
    'fingerprint', left(encode(sha256(convert_to(NEW.document_keys || NEW.jwks, 'UTF8')), 'hex'), 32),
    'first', TG_OP = 'INSERT' OR OLD.document_keys || OLD.jwks = ''), 'done', 'system');
  RETURN NULL;
END $$;
CREATE TRIGGER partner_keys_first_audited AFTER INSERT ON partner_keys FOR EACH ROW WHEN (NEW.document_keys || NEW.jwks <> '')
  EXECUTE FUNCTION audit_partner_keys();
CREATE TRIGGER partner_keys_audited AFTER UPDATE OF document_keys, jwks ON partner_keys FOR EACH ROW
  WHEN (NEW.document_keys <> OLD.document_keys OR NEW.jwks <> OLD.jwks)
  EXECUTE FUNCTION audit_partner_keys();

CREATE FUNCTION audit_handshake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('handshake.' || CASE NEW.state WHEN 'asking' THEN 'begin' WHEN 'fetching' THEN 'request' WHEN 'done' THEN 'finish'
    ELSE 'fail' END, 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, 500), '')),
    CASE NEW.state WHEN 'failed' THEN 'refused' ELSE 'done' END);
  RETURN NULL;
END $$;
CREATE TRIGGER handshake_audited AFTER INSERT ON trusted_handshake FOR EACH ROW EXECUTE FUNCTION audit_handshake();
CREATE TRIGGER handshake_step_audited AFTER UPDATE OF state ON trusted_handshake FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.state IN ('asking', 'fetching', 'done', 'failed')) EXECUTE FUNCTION audit_handshake();

CREATE FUNCTION audit_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('invitation.revoke', 'invitation', OLD.id::text, jsonb_build_object('uid', OLD.uid));
  ELSE
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'invitation.create' ELSE 'invitation.accept' END, 'invitation', NEW.id::text,
      jsonb_build_object('uid', NEW.uid));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER invitation_audited AFTER INSERT ON invitation FOR EACH ROW EXECUTE FUNCTION audit_invitation();
CREATE TRIGGER invitation_acceptance_audited AFTER UPDATE OF accepted_at ON invitation FOR EACH ROW
  WHEN (OLD.accepted_at IS NULL AND NEW.accepted_at IS NOT NULL) EXECUTE FUNCTION audit_invitation();
CREATE TRIGGER invitation_end_audited AFTER DELETE ON invitation FOR EACH ROW
  WHEN (OLD.accepted_at IS NULL AND OLD.expires_at > now()) EXECUTE FUNCTION audit_invitation();

CREATE FUNCTION audit_taken_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('invitation.take', 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, 500), '')),
    CASE NEW.state WHEN 'accepted' THEN 'done' ELSE 'refused' END, 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE TRIGGER invitation_taken_audited AFTER UPDATE OF state ON invitation_acceptance FOR EACH ROW
  WHEN (OLD.state = 'waiting' AND NEW.state <> 'waiting') EXECUTE FUNCTION audit_taken_invitation();

CREATE FUNCTION audit_contact_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('contact.remove', 'contact', OLD.id::text, jsonb_build_object('uid', OLD.uid, 'host', audit_host(OLD.peer_id),
      'remoteUser', left(OLD.remote_user, 512)));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_end_audited AFTER DELETE ON contact FOR EACH ROW EXECUTE FUNCTION audit_contact_end();
`;

export const KEYS_AND_SETTINGS = `
CREATE FUNCTION audit_signing_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'signing-key.create' ELSE 'signing-key.retire' END, 'signing-key', NEW.id,
    jsonb_build_object('algorithm', NEW.algorithm, 'from', NEW.not_before, 'until', NEW.retired_at));
  RETURN NULL;
END $$;
CREATE TRIGGER signing_key_audited AFTER INSERT ON signing_key FOR EACH ROW EXECUTE FUNCTION audit_signing_key();
CREATE TRIGGER signing_key_end_audited AFTER UPDATE OF retired_at ON signing_key FOR EACH ROW
  WHEN (NEW.retired_at IS DISTINCT FROM OLD.retired_at) EXECUTE FUNCTION audit_signing_key();

CREATE FUNCTION audit_setting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('setting.reset', 'setting', OLD.app || '/' || OLD.key, jsonb_build_object('before', left(OLD.value, 1000)));
  ELSE
    PERFORM audit('setting.change', 'setting', NEW.app || '/' || NEW.key, jsonb_build_object('value', left(NEW.value, 1000),
      'before', CASE TG_OP WHEN 'UPDATE' THEN left(OLD.value, 1000) END));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER setting_audited AFTER INSERT OR DELETE ON setting FOR EACH ROW EXECUTE FUNCTION audit_setting();
CREATE TRIGGER setting_change_audited AFTER UPDATE OF value ON setting FOR EACH ROW WHEN (NEW.value <> OLD.value)
  EXECUTE FUNCTION audit_setting();
`;

export const ACCOUNTS = `
CREATE FUNCTION audit_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('account.delete', 'account', OLD.uid);
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM audit('account.create', 'account', NEW.uid);
  ELSE
    PERFORM audit('account.update', 'account', NEW.uid, jsonb_build_object(
      'enabled', CASE WHEN NEW.enabled <> OLD.enabled THEN NEW.enabled END,
      'quotaBytes', CASE WHEN NEW.quota_bytes IS DISTINCT FROM OLD.quota_bytes THEN coalesce(NEW.quota_bytes::text, 'none') END,
      'displayName', CASE WHEN NEW.display_name <> OLD.display_name THEN 'changed' END,
      'email', CASE WHEN NEW.email IS DISTINCT FROM OLD.email THEN 'changed' END,
      'language', CASE WHEN NEW.language <> OLD.language THEN NEW.language END,
      'password', CASE WHEN NEW.password_hash <> OLD.password_hash THEN 'set' END));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER account_audited AFTER INSERT OR DELETE ON user_account FOR EACH ROW EXECUTE FUNCTION audit_account();
CREATE TRIGGER account_update_audited AFTER UPDATE OF enabled, quota_bytes, display_name, email, language, password_hash ON user_account
  FOR EACH ROW WHEN (NEW.enabled IS DISTINCT FROM OLD.enabled OR NEW.quota_bytes IS DISTINCT FROM OLD.quota_bytes
    OR NEW.display_name IS DISTINCT FROM OLD.display_name OR NEW.email IS DISTINCT FROM OLD.email
    OR NEW.language IS DISTINCT FROM OLD.language OR NEW.password_hash IS DISTINCT FROM OLD.password_hash)
  EXECUTE FUNCTION audit_account();

CREATE FUNCTION audit_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('group.delete', 'group', OLD.gid);
  ELSE
    PERFORM audit('group.create', 'group', NEW.gid);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER group_audited AFTER INSERT OR DELETE ON user_group FOR EACH ROW EXECUTE FUNCTION audit_group();

-- Memberships that go with a group or an account are recorded by the row of that.
CREATE FUNCTION audit_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit(TG_ARGV[0], 'group', NEW.gid, jsonb_build_object('uid', NEW.uid));
  ELSIF EXISTS (SELECT FROM user_group WHERE gid = OLD.gid) AND EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit(TG_ARGV[0], 'group', OLD.gid, jsonb_build_object('uid', OLD.uid));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER group_joined_audited AFTER INSERT ON group_member FOR EACH ROW EXECUTE FUNCTION audit_membership('group.join');
CREATE TRIGGER group_left_audited AFTER DELETE ON group_member FOR EACH ROW EXECUTE FUNCTION audit_membership('group.leave');
CREATE TRIGGER group_subadmin_audited AFTER INSERT ON group_subadmin FOR EACH ROW
  EXECUTE FUNCTION audit_membership('group.add-subadmin');
CREATE TRIGGER group_subadmin_end_audited AFTER DELETE ON group_subadmin FOR EACH ROW
  EXECUTE FUNCTION audit_membership('group.remove-subadmin');

CREATE FUNCTION audit_preference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('preference.change', 'account', NEW.uid, jsonb_build_object('preference', NEW.app || '/' || NEW.key,
    'value', left(NEW.value, 100)));
  RETURN NULL;
END $$;
CREATE TRIGGER preference_audited AFTER INSERT ON user_preference FOR EACH ROW EXECUTE FUNCTION audit_preference();
CREATE TRIGGER preference_change_audited AFTER UPDATE OF value ON user_preference FOR EACH ROW WHEN (NEW.value <> OLD.value)
  EXECUTE FUNCTION audit_preference();
`;
