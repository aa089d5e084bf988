import { AUDIT_BOUNDS } from '../audit-bounds';

/** Decisions on accounts, groups, settings and keys in the audit log. */
export const AUDIT_ACCOUNTS = `
CREATE OR REPLACE FUNCTION audit_account() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE TRIGGER account_audited AFTER INSERT OR DELETE ON user_account FOR EACH ROW EXECUTE FUNCTION audit_account();
CREATE OR REPLACE TRIGGER account_update_audited AFTER UPDATE OF enabled, quota_bytes, display_name, email, language,
    password_hash ON user_account
  FOR EACH ROW WHEN (NEW.enabled IS DISTINCT FROM OLD.enabled OR NEW.quota_bytes IS DISTINCT FROM OLD.quota_bytes
    OR NEW.display_name IS DISTINCT FROM OLD.display_name OR NEW.email IS DISTINCT FROM OLD.email
    OR NEW.language IS DISTINCT FROM OLD.language OR NEW.password_hash IS DISTINCT FROM OLD.password_hash)
  EXECUTE FUNCTION audit_account();

-- An end that goes with its account is told by the row of that.
CREATE OR REPLACE FUNCTION audit_account_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('account.end', 'account', NEW.uid, jsonb_build_object('to', NEW.successor_uid, 'due', NEW.due_at));
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM audit('account.end-begin', 'account', NEW.uid);
  ELSIF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('account.end-undo', 'account', OLD.uid);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER account_end_audited AFTER INSERT OR DELETE ON account_end FOR EACH ROW EXECUTE FUNCTION audit_account_end();
CREATE OR REPLACE TRIGGER account_end_begin_audited AFTER UPDATE OF began_at ON account_end FOR EACH ROW
  WHEN (NEW.began_at IS DISTINCT FROM OLD.began_at) EXECUTE FUNCTION audit_account_end();

-- Those that end with their account are left to its row, and those that had ended by time to their expiry.
CREATE OR REPLACE FUNCTION audit_app_password() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF coalesce(OLD.expires_at > now(), true) AND EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
      PERFORM audit('app-password.revoke', 'account', OLD.uid, jsonb_build_object('id', OLD.id, 'name', OLD.name));
    END IF;
  ELSE
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'app-password.create' ELSE 'app-password.change' END, 'account', NEW.uid,
      jsonb_build_object('id', NEW.id, 'name', NEW.name, 'scopes', NEW.scopes, 'readOnly', NEW.read_only, 'until', NEW.expires_at,
        'secret', CASE WHEN TG_OP = 'UPDATE' AND NEW.secret_hash <> OLD.secret_hash THEN 'replaced' END));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER app_password_audited AFTER INSERT OR DELETE ON app_password FOR EACH ROW EXECUTE FUNCTION audit_app_password();
CREATE OR REPLACE TRIGGER app_password_change_audited AFTER UPDATE OF secret_hash, name, scopes, read_only, expires_at ON app_password
  FOR EACH ROW EXECUTE FUNCTION audit_app_password();

-- An identity that ends with its account is left to the account's row.
CREATE OR REPLACE FUNCTION audit_external_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('account.attach', 'account', NEW.uid, jsonb_build_object('kind', NEW.kind, 'source', NEW.source));
  ELSIF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('account.detach', 'account', OLD.uid, jsonb_build_object('kind', OLD.kind, 'source', OLD.source));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER external_identity_audited AFTER INSERT OR DELETE ON external_identity FOR EACH ROW
  EXECUTE FUNCTION audit_external_identity();

-- Those that end with their account are left to its row.
CREATE OR REPLACE FUNCTION audit_second_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('second-factor.set-up', 'account', NEW.uid, jsonb_build_object('kind', TG_TABLE_NAME));
  ELSIF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('second-factor.remove', 'account', OLD.uid, jsonb_build_object('kind', TG_TABLE_NAME));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER totp_audited AFTER INSERT OR DELETE ON totp FOR EACH ROW EXECUTE FUNCTION audit_second_factor();
CREATE OR REPLACE TRIGGER passkey_audited AFTER INSERT OR DELETE ON passkey FOR EACH ROW EXECUTE FUNCTION audit_second_factor();

CREATE OR REPLACE FUNCTION audit_recovery_codes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('second-factor.new-recovery-codes', 'account', made.uid, jsonb_build_object('codes', made.codes))
    FROM (SELECT uid, count(*) AS codes FROM written GROUP BY uid) made;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER recovery_codes_audited AFTER INSERT ON recovery_code REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION audit_recovery_codes();

CREATE OR REPLACE FUNCTION audit_scim_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE WHEN NEW.secret_hash IS NULL THEN 'scim-client.revoke' ELSE 'scim-client.create' END, 'scim-client', NEW.name);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER scim_client_audited AFTER UPDATE OF secret_hash ON scim_client FOR EACH ROW
  WHEN (NEW.secret_hash IS DISTINCT FROM OLD.secret_hash) EXECUTE FUNCTION audit_scim_client();

CREATE OR REPLACE FUNCTION audit_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('group.delete', 'group', OLD.gid);
  ELSE
    PERFORM audit('group.create', 'group', NEW.gid);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_audited AFTER INSERT OR DELETE ON user_group FOR EACH ROW EXECUTE FUNCTION audit_group();

-- Memberships that end with their group or account are left to its row.
CREATE OR REPLACE FUNCTION audit_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit(TG_ARGV[0], 'group', NEW.gid, jsonb_build_object('uid', NEW.uid));
  ELSIF EXISTS (SELECT FROM user_group WHERE gid = OLD.gid) AND EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit(TG_ARGV[0], 'group', OLD.gid, jsonb_build_object('uid', OLD.uid));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_joined_audited AFTER INSERT ON group_member FOR EACH ROW EXECUTE FUNCTION audit_membership('group.join');
CREATE OR REPLACE TRIGGER group_left_audited AFTER DELETE ON group_member FOR EACH ROW EXECUTE FUNCTION audit_membership('group.leave');
CREATE OR REPLACE TRIGGER group_subadmin_audited AFTER INSERT ON group_subadmin FOR EACH ROW
  EXECUTE FUNCTION audit_membership('group.add-subadmin');
CREATE OR REPLACE TRIGGER group_subadmin_end_audited AFTER DELETE ON group_subadmin FOR EACH ROW
  EXECUTE FUNCTION audit_membership('group.remove-subadmin');

CREATE OR REPLACE FUNCTION audit_remote_membership() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told group_remote_member := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM audit(CASE TG_OP WHEN 'DELETE' THEN 'group.leave' ELSE 'group.join' END, 'group', told.gid,
    jsonb_build_object('account', left(told.cloud_id, ${AUDIT_BOUNDS.name})));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_remote_member_audited AFTER INSERT OR DELETE ON group_remote_member
  FOR EACH ROW EXECUTE FUNCTION audit_remote_membership();

CREATE OR REPLACE FUNCTION audit_preference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('preference.change', 'account', NEW.uid, jsonb_build_object('preference', NEW.app || '/' || NEW.key,
    'value', left(NEW.value, ${AUDIT_BOUNDS.preferenceValue})));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER preference_audited AFTER INSERT ON user_preference FOR EACH ROW EXECUTE FUNCTION audit_preference();
CREATE OR REPLACE TRIGGER preference_change_audited AFTER UPDATE OF value ON user_preference FOR EACH ROW WHEN (NEW.value <> OLD.value)
  EXECUTE FUNCTION audit_preference();

CREATE OR REPLACE FUNCTION audit_setting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('setting.reset', 'setting', OLD.app || '/' || OLD.key, jsonb_build_object('before', left(OLD.value, ${AUDIT_BOUNDS.settingValue})));
  ELSE
    PERFORM audit('setting.change', 'setting', NEW.app || '/' || NEW.key, jsonb_build_object('value', left(NEW.value, ${AUDIT_BOUNDS.settingValue}),
      'before', CASE TG_OP WHEN 'UPDATE' THEN left(OLD.value, ${AUDIT_BOUNDS.settingValue}) END));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER setting_audited AFTER INSERT OR DELETE ON setting FOR EACH ROW EXECUTE FUNCTION audit_setting();
CREATE OR REPLACE TRIGGER setting_change_audited AFTER UPDATE OF value ON setting FOR EACH ROW WHEN (NEW.value <> OLD.value)
  EXECUTE FUNCTION audit_setting();

CREATE OR REPLACE FUNCTION audit_signing_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'signing-key.create' ELSE 'signing-key.retire' END, 'signing-key', NEW.id,
    jsonb_build_object('algorithm', NEW.algorithm, 'from', NEW.not_before, 'until', NEW.retired_at));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER signing_key_audited AFTER INSERT ON signing_key FOR EACH ROW EXECUTE FUNCTION audit_signing_key();
CREATE OR REPLACE TRIGGER signing_key_end_audited AFTER UPDATE OF retired_at ON signing_key FOR EACH ROW
  WHEN (NEW.retired_at IS DISTINCT FROM OLD.retired_at) EXECUTE FUNCTION audit_signing_key();
`;
