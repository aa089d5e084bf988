/** Number of partners that an announcement of new messages names. */
const PARTNERS_NAMED = 20;

/** Announcements of changes, so that no process uses a stale copy. */
export const FRESHNESS = `
-- Hands news to the process that runs this transaction, which announces them after the commit (ADR 0257).
CREATE OR REPLACE FUNCTION tell_after_commit(news text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE INFO USING MESSAGE = news, ERRCODE = 'DBN01';
END $$;

CREATE OR REPLACE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM pg_notify('drawbridge_changes', TG_ARGV[0] || ':' || (to_jsonb(OLD) ->> TG_ARGV[1]));
  ELSE
    PERFORM pg_notify('drawbridge_changes', TG_ARGV[0] || ':' || (to_jsonb(NEW) ->> TG_ARGV[1]));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER user_account_changed AFTER INSERT OR DELETE OR UPDATE OF display_name, email, password_hash, enabled,
    quota_bytes, language, credentials_version
  ON user_account FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
-- The hash as it was: it is what processes know it by.
CREATE OR REPLACE FUNCTION announce_app_password() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('drawbridge_changes', 'app-password:' || encode(OLD.secret_hash, 'base64'));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER app_password_changed AFTER DELETE OR UPDATE OF secret_hash, scopes, read_only, expires_at
  ON app_password FOR EACH ROW EXECUTE FUNCTION announce_app_password();
CREATE OR REPLACE TRIGGER group_member_changed AFTER INSERT OR DELETE
  ON group_member FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE OR REPLACE TRIGGER group_subadmin_changed AFTER INSERT OR DELETE
  ON group_subadmin FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE OR REPLACE TRIGGER user_preference_changed AFTER INSERT OR UPDATE OR DELETE
  ON user_preference FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE OR REPLACE TRIGGER external_identity_changed AFTER INSERT OR DELETE OR UPDATE OF uid, managed_fields, signed_out_at
  ON external_identity FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE OR REPLACE TRIGGER totp_changed AFTER INSERT OR DELETE
  ON totp FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE OR REPLACE TRIGGER passkey_changed AFTER INSERT OR DELETE
  ON passkey FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
CREATE OR REPLACE TRIGGER user_group_changed AFTER INSERT OR DELETE
  ON user_group FOR EACH ROW EXECUTE FUNCTION announce_change('group', 'gid');
CREATE OR REPLACE TRIGGER setting_changed AFTER INSERT OR UPDATE OR DELETE
  ON setting FOR EACH ROW EXECUTE FUNCTION announce_change('setting', 'app');
CREATE OR REPLACE TRIGGER capability_entry_changed AFTER INSERT OR UPDATE OR DELETE
  ON capability_entry FOR EACH ROW EXECUTE FUNCTION announce_change('capability', 'app');
CREATE OR REPLACE TRIGGER peer_changed AFTER INSERT OR DELETE OR UPDATE OF profile, pinned_profile, discovered_at,
    profile_expires_at, discovery_failed_until, trust, paused, alias_of
  ON peer FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');
CREATE OR REPLACE TRIGGER signing_key_changed AFTER INSERT OR UPDATE OR DELETE ON signing_key
  FOR EACH ROW EXECUTE FUNCTION announce_change('signing-key', 'algorithm');
CREATE OR REPLACE TRIGGER peer_outgoing_trust_changed AFTER UPDATE OF outgoing_trust ON peer
  FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');
CREATE OR REPLACE TRIGGER invitation_acceptance_settled AFTER UPDATE OF state ON invitation_acceptance
  FOR EACH ROW EXECUTE FUNCTION announce_change('invitation', 'id');
CREATE OR REPLACE TRIGGER partner_keys_answered AFTER INSERT OR UPDATE OF answered_at ON partner_keys
  FOR EACH ROW EXECUTE FUNCTION announce_change('partner-keys', 'peer_id');
CREATE OR REPLACE TRIGGER peer_signatures_changed AFTER UPDATE OF signatures ON peer
  FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');
CREATE OR REPLACE TRIGGER foreign_link_settled AFTER UPDATE OF state ON foreign_link
  FOR EACH ROW EXECUTE FUNCTION announce_change('foreign-link', 'id');
CREATE OR REPLACE TRIGGER mail_lookup_settled AFTER UPDATE OF state ON mail_lookup
  FOR EACH ROW EXECUTE FUNCTION announce_change('mail-lookup', 'id');
CREATE OR REPLACE TRIGGER partner_rename_settled AFTER UPDATE OF state ON partner_rename
  FOR EACH ROW EXECUTE FUNCTION announce_change('partner-rename', 'id');

-- Once per statement: the relays of all workers wake up, however many rows there are.
CREATE OR REPLACE FUNCTION announce_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_after_commit('outbox:');
  RETURN NULL;
END $$;

-- Relays look at the partners of a few messages; for those of many, they look at all partners.
CREATE OR REPLACE FUNCTION announce_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_after_commit('outbox:' || CASE WHEN count(*) <= ${PARTNERS_NAMED} THEN string_agg(few.peer_id::text, ',') ELSE '' END)
  FROM (SELECT DISTINCT peer_id FROM written LIMIT ${PARTNERS_NAMED + 1}) few HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER outbox_message_written AFTER INSERT ON outbox_message REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION announce_messages();
`;
