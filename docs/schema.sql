SET check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.add_news(about text, changed text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO push_news (topic, key) VALUES (about, changed) ON CONFLICT DO NOTHING;
END $function$;

CREATE OR REPLACE FUNCTION public.add_news_of_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM add_news(TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.uid ELSE NEW.uid END);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.add_news_of_node()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM add_news('node', NEW.id::text);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.add_news_of_received()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM add_news('mounts', CASE TG_OP WHEN 'DELETE' THEN OLD.recipient_uid ELSE NEW.recipient_uid END);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.add_news_of_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  changed share := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM add_news('activity', changed.owner_uid);
  IF changed.initiator_uid <> changed.owner_uid THEN
    PERFORM add_news('activity', changed.initiator_uid);
  END IF;
  IF TG_OP = 'UPDATE' THEN
    IF changed.share_type IN (0, 1) THEN
      PERFORM add_news('node', changed.node_id::text);
    END IF;
  ELSIF changed.share_type = 1 THEN
    PERFORM add_news('group-mounts', changed.recipient_canonical);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_app_password()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('drawbridge_changes', 'app-password:' || encode(OLD.secret_hash, 'base64'));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM pg_notify('drawbridge_changes', TG_ARGV[0] || ':' || (to_jsonb(OLD) ->> TG_ARGV[1]));
  ELSE
    PERFORM pg_notify('drawbridge_changes', TG_ARGV[0] || ':' || (to_jsonb(NEW) ->> TG_ARGV[1]));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM tell_after_commit('outbox:' || CASE WHEN count(*) <= 20 THEN string_agg(few.peer_id::text, ',') ELSE '' END)
  FROM (SELECT DISTINCT peer_id FROM written LIMIT 21) few HAVING count(*) > 0;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_outbox()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM tell_after_commit('outbox:');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit(said text, about text, about_id text, details jsonb DEFAULT '{}'::jsonb, how text DEFAULT 'done'::text, by_kind text DEFAULT NULL::text, by_name text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  acting jsonb := audit_acting();
BEGIN
  INSERT INTO audit_event (actor_kind, actor, action, object_type, object_id, outcome, address, request_id, detail)
  VALUES (coalesce(by_kind, acting ->> 'kind', 'system'),
    CASE WHEN by_kind IS NULL THEN left(audit_acting_name(acting), 512) ELSE left(by_name, 512) END,
    said, about, left(about_id, 512), how, left(acting ->> 'address', 64), left(acting ->> 'request', 64), audit_bounded(details));
END $function$;

CREATE OR REPLACE FUNCTION public.audit_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.audit_account_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('account.end', 'account', NEW.uid, jsonb_build_object('to', NEW.successor_uid, 'due', NEW.due_at));
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM audit('account.end-begin', 'account', NEW.uid);
  ELSIF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('account.end-undo', 'account', OLD.uid);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_acting()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(nullif(current_setting('drawbridge.acting', true), ''), '{}')::jsonb
$function$;

CREATE OR REPLACE FUNCTION public.audit_acting_name(acting jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF acting ->> 'name' IS NOT NULL OR acting ->> 'peer' IS NULL THEN
    RETURN acting ->> 'name';
  END IF;
  RETURN (SELECT host_key FROM peer WHERE id = (acting ->> 'peer')::bigint);
END $function$;

CREATE OR REPLACE FUNCTION public.audit_app_password()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.audit_bounded(detail jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN octet_length(detail::text) <= 4096 THEN jsonb_strip_nulls(detail) ELSE '{"cut": true}' END
$function$;

CREATE OR REPLACE FUNCTION public.audit_contact_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('contact.remove', 'contact', OLD.id::text, jsonb_build_object('uid', OLD.uid, 'host', audit_host(OLD.peer_id),
      'remoteUser', left(OLD.remote_user, 512)));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_external_identity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('account.attach', 'account', NEW.uid, jsonb_build_object('kind', NEW.kind, 'source', NEW.source));
  ELSIF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('account.detach', 'account', OLD.uid, jsonb_build_object('kind', OLD.kind, 'source', OLD.source));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_foreign_link()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('foreign-link.save', 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, 500), '')),
    CASE NEW.state WHEN 'saved' THEN 'done' ELSE 'refused' END, 'user', NEW.uid);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_group()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('group.delete', 'group', OLD.gid);
  ELSE
    PERFORM audit('group.create', 'group', NEW.gid);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_handshake()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('handshake.' || CASE NEW.state WHEN 'asking' THEN 'begin' WHEN 'fetching' THEN 'request' WHEN 'done' THEN 'finish'
    ELSE 'fail' END, 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, 500), '')),
    CASE NEW.state WHEN 'failed' THEN 'refused' ELSE 'done' END);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_host(id_of_peer bigint)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN (SELECT host_key FROM peer WHERE id = id_of_peer);
END $function$;

CREATE OR REPLACE FUNCTION public.audit_invitation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('invitation.revoke', 'invitation', OLD.id::text, jsonb_build_object('uid', OLD.uid));
  ELSE
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'invitation.create' ELSE 'invitation.accept' END, 'invitation', NEW.id::text,
      jsonb_build_object('uid', NEW.uid));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_membership()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit(TG_ARGV[0], 'group', NEW.gid, jsonb_build_object('uid', NEW.uid));
  ELSIF EXISTS (SELECT FROM user_group WHERE gid = OLD.gid) AND EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit(TG_ARGV[0], 'group', OLD.gid, jsonb_build_object('uid', OLD.uid));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_offer_block()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  told offer_block := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = told.uid) THEN
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'offer-block.add' ELSE 'offer-block.remove' END, 'partner', told.host_key,
      jsonb_build_object('uid', told.uid, 'person', nullif(left(told.person, 512), '')));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_offer_report()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  told offer_report := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
BEGIN
  IF EXISTS (SELECT FROM user_account WHERE uid = told.reporter_uid) THEN
    PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'offer.report' ELSE 'offer.report-close' END, 'partner', told.host_key,
      jsonb_build_object('uid', told.reporter_uid, 'sender', left(told.sender, 512), 'reason', left(told.reason, 500)));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_partner_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('partner.keys', 'partner', audit_host(NEW.peer_id), jsonb_build_object(
    'fingerprint', left(encode(sha256(convert_to(NEW.document_keys || NEW.jwks, 'UTF8')), 'hex'), 32),
    'first', TG_OP = 'INSERT' OR OLD.document_keys || OLD.jwks = ''), 'done', 'system');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_peer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  IF (NEW.concurrency, NEW.rate_per_second, NEW.rate_burst) IS DISTINCT FROM (before.concurrency, before.rate_per_second, before.rate_burst)
    AND TG_OP = 'UPDATE' THEN
    PERFORM audit('partner.limits', 'partner', NEW.host_key, jsonb_build_object('concurrency', NEW.concurrency,
      'ratePerSecond', NEW.rate_per_second, 'rateBurst', NEW.rate_burst));
  END IF;
  IF NEW.alias_of IS DISTINCT FROM before.alias_of THEN
    PERFORM audit('partner.rename', 'partner', NEW.host_key, jsonb_build_object('to', audit_host(NEW.alias_of)));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_preference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('preference.change', 'account', NEW.uid, jsonb_build_object('preference', NEW.app || '/' || NEW.key,
    'value', left(NEW.value, 100)));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_received_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.audit_recovery_codes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('second-factor.new-recovery-codes', 'account', made.uid, jsonb_build_object('codes', made.codes))
    FROM (SELECT uid, count(*) AS codes FROM written GROUP BY uid) made;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_refusal(said text, about text, about_id text, details jsonb, times integer DEFAULT 1)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  acting jsonb := audit_acting();
  by_kind text := coalesce(acting ->> 'kind', 'system');
  claimed text := CASE WHEN by_kind = 'partner' AND NOT acting ? 'peer' THEN left(acting ->> 'name', 512) END;
  by_name text := CASE WHEN claimed IS NULL THEN left(audit_acting_name(acting), 512) END;
  from_address text := left(acting ->> 'address', 64);
  minute timestamptz := date_trunc('minute', now());
  facts jsonb := audit_bounded(details || jsonb_build_object('claimed', claimed));
  key uuid := md5(concat_ws(E'\n', minute, said, about, about_id, by_kind, by_name, from_address, claimed, details ->> 'reason'))::uuid;
BEGIN
  UPDATE audit_event SET attempts = attempts + times WHERE window_key = key;
  IF FOUND THEN
    RETURN;
  END IF;
  IF (SELECT count(*) FROM audit_event WHERE at >= minute AND window_key IS NOT NULL AND actor_kind = by_kind
      AND actor IS NOT DISTINCT FROM by_name) >= 60 THEN
    key := md5(concat_ws(E'\n', minute, said, by_kind, by_name))::uuid;
    about_id := NULL;
    from_address := NULL;
    facts := '{"reason": "many"}';
  END IF;
  INSERT INTO audit_event AS e (actor_kind, actor, action, object_type, object_id, outcome, address, request_id, attempts, detail, window_key)
  VALUES (by_kind, by_name, said, about, left(about_id, 512), 'refused', from_address, left(acting ->> 'request', 64), times, facts, key)
  ON CONFLICT (window_key) WHERE window_key IS NOT NULL DO UPDATE SET attempts = e.attempts + times;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_refused_rename()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('partner.rename', 'partner', NEW.from_host, jsonb_build_object('to', NEW.to_host, 'reason', NEW.reason), 'refused', 'user', NEW.uid);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_remote_membership()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  told group_remote_member := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM audit(CASE TG_OP WHEN 'DELETE' THEN 'group.leave' ELSE 'group.join' END, 'group', told.gid,
    jsonb_build_object('account', left(told.cloud_id, 512)));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_retention_days()
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN coalesce((SELECT value::integer FROM setting WHERE app = 'system' AND key = 'audit_retention_days'), 365);
END $function$;

CREATE OR REPLACE FUNCTION public.audit_scim_client()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit(CASE WHEN NEW.secret_hash IS NULL THEN 'scim-client.revoke' ELSE 'scim-client.create' END, 'scim-client', NEW.name);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_second_factor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit('second-factor.set-up', 'account', NEW.uid, jsonb_build_object('kind', TG_TABLE_NAME));
  ELSIF EXISTS (SELECT FROM user_account WHERE uid = OLD.uid) THEN
    PERFORM audit('second-factor.remove', 'account', OLD.uid, jsonb_build_object('kind', TG_TABLE_NAME));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_setting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM audit('setting.reset', 'setting', OLD.app || '/' || OLD.key, jsonb_build_object('before', left(OLD.value, 1000)));
  ELSE
    PERFORM audit('setting.change', 'setting', NEW.app || '/' || NEW.key, jsonb_build_object('value', left(NEW.value, 1000),
      'before', CASE TG_OP WHEN 'UPDATE' THEN left(OLD.value, 1000) END));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share_answer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  host text := audit_host(NEW.peer_id);
  facts jsonb := jsonb_build_object('recipient', left(NEW.recipient, 512), 'source', NEW.acceptance_source,
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
    PERFORM audit('reshare.granted', 'share', NEW.id::text, jsonb_build_object('recipient', left(NEW.recipient, 512)), 'done',
      'partner', host);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share_read()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('share.read', 'share', NEW.id::text, '{}', 'done', 'partner', audit_host(NEW.peer_id));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit(CASE NEW.state WHEN 0 THEN 'share.accept' WHEN 2 THEN 'share.decline' ELSE 'share.reconsider' END, 'share',
    NEW.share_id::text, jsonb_build_object('recipient', NEW.uid), 'done', 'user', NEW.uid);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share_reminder()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('share.remind', 'share', NEW.id::text, jsonb_build_object('expires', NEW.expires_on), 'done', 'system');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share_seen()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('share.see', 'share', NEW.id::text, jsonb_build_object('recipient', left(NEW.recipient, 512)), 'done', 'partner',
    audit_host(NEW.peer_id));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_share_update()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.audit_signing_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit(CASE TG_OP WHEN 'INSERT' THEN 'signing-key.create' ELSE 'signing-key.retire' END, 'signing-key', NEW.id,
    jsonb_build_object('algorithm', NEW.algorithm, 'from', NEW.not_before, 'until', NEW.retired_at));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_taken_invitation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit('invitation.take', 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, 500), '')),
    CASE NEW.state WHEN 'accepted' THEN 'done' ELSE 'refused' END, 'user', NEW.uid);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_trashed_node()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.audit_trashed_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM audit(CASE WHEN NEW.trashed_at IS NULL THEN 'share.return' ELSE 'share.hide' END, 'share', NEW.id::text, audit_share_facts(NEW));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_added_nodes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE storage s SET node_count = s.node_count + added.nodes
  FROM (SELECT storage_id, count(*) AS nodes FROM added_node WHERE received_share_id IS NULL AND path <> '' GROUP BY storage_id) added
  WHERE s.id = added.storage_id AND s.node_count IS NOT NULL;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_moved_nodes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  moved bigint;
BEGIN
  WITH RECURSIVE sub AS (
     SELECT id FROM node WHERE id = NEW.id
     UNION ALL
     SELECT n.id FROM sub CROSS JOIN LATERAL (SELECT id FROM node WHERE parent_id >= sub.id AND parent_id <= sub.id OFFSET 0) n
   ) SELECT count(*) INTO moved FROM sub;
  UPDATE storage SET node_count = node_count + CASE id WHEN NEW.storage_id THEN moved ELSE -moved END
  WHERE id IN (OLD.storage_id, NEW.storage_id) AND node_count IS NOT NULL;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_removed_nodes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE storage s SET node_count = s.node_count - removed.nodes
  FROM (SELECT storage_id, count(*) AS nodes FROM removed_node WHERE received_share_id IS NULL AND path <> '' GROUP BY storage_id) removed
  WHERE s.id = removed.storage_id AND s.node_count IS NOT NULL;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.coverage_of(reader text, of_node bigint)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN (SELECT json_agg(way) FROM (WITH wanted AS MATERIALIZED (
     SELECT n.id, n.storage_id, n.path, array_to_string(parts[1 : depth::integer], '/') AS root_path
     FROM node n CROSS JOIN LATERAL string_to_array(n.path || '/', '/') AS parts
     CROSS JOIN LATERAL unnest(parts) WITH ORDINALITY AS part(name, depth)
     WHERE n.id = ANY((SELECT ARRAY[of_node])::bigint[]) AND depth < cardinality(parts)
   ), roots AS MATERIALIZED (
     SELECT w.id AS node_id, w.path, root.id AS root_id, root.path AS root_path, root.kind, root.received_share_id
     FROM wanted w CROSS JOIN LATERAL (SELECT one.* FROM node one
       WHERE one.storage_id = w.storage_id AND one.path_hash = md5(w.root_path)::uuid AND one.path = w.root_path LIMIT 1) root
   )
   SELECT s.id AS share_id, o.node_id, r.file_target || substr(o.path, char_length(o.root_path) + 1) AS path,
     r.file_target AS mount_target, s.permissions, s.attributes, NULL::jsonb AS requirements, o.node_id = o.root_id AS direct,
     (SELECT home.id FROM node home WHERE home.path_hash = r.folder_hash
       AND home.storage_id = (SELECT id FROM storage WHERE owner_uid = (SELECT reader) AND received_share_id IS NULL) LIMIT 1) AS folder_id
   FROM roots o
   CROSS JOIN LATERAL (
     SELECT s.id, s.permissions, s.attributes FROM share s
     WHERE s.node_id = o.root_id AND s.share_type = 0 AND s.recipient_canonical = (SELECT reader) AND ((s.expires_on IS NULL OR s.expires_on >= current_date) AND s.trashed_at IS NULL)
     UNION ALL
     SELECT s.id, s.permissions, s.attributes FROM share s
     WHERE s.node_id = o.root_id AND s.share_type = 1 AND ((s.expires_on IS NULL OR s.expires_on >= current_date) AND s.trashed_at IS NULL)
       AND EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = (SELECT reader))
     OFFSET 0
   ) s
   CROSS JOIN LATERAL (SELECT one.* FROM share_recipient one
     WHERE one.share_id = s.id AND one.uid = (SELECT reader) AND one.state = 0 AND one.file_target IS NOT NULL LIMIT 1) r
   WHERE (o.received_share_id IS NULL OR coalesce((SELECT f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now()) AND true FROM received_share f WHERE f.id = o.received_share_id), false))
   UNION ALL
   SELECT NULL, root.node_id, f.file_target || root.path, f.file_target, CASE root.kind WHEN 'file' THEN f.permissions & 19::smallint ELSE f.permissions END, NULL, f.access -> 'requirements', root.path = '', (SELECT home.id FROM node home WHERE home.path_hash = f.folder_hash
       AND home.storage_id = (SELECT id FROM storage WHERE owner_uid = (SELECT reader) AND received_share_id IS NULL) LIMIT 1)
   FROM roots root
   JOIN received_share f ON f.id = root.received_share_id AND f.recipient_uid = (SELECT reader)
   WHERE root.root_path = '' AND f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now())
   ORDER BY share_id) way);
END $function$;

CREATE OR REPLACE FUNCTION public.enter_peer_host()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  host text := peer_host(NEW.host_key);
BEGIN
  IF NEW.alias_of IS NOT NULL THEN
    SELECT host_id INTO NEW.host_id FROM peer WHERE id = NEW.alias_of;
  ELSIF host = NEW.host_key THEN
    NEW.host_id := NEW.id;
  ELSE
    INSERT INTO peer (host_key) VALUES (host) ON CONFLICT (host_key) DO NOTHING;
    SELECT host_id INTO NEW.host_id FROM peer WHERE host_key = host;
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.follow_renamed_hosts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE peer p SET host_id = peer_host_id(p.id) WHERE p.host_id IS DISTINCT FROM peer_host_id(p.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.granted_by_shares(asked_uid text, in_storage integer, at_path text, from_owner boolean)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN (WITH RECURSIVE above AS (
    SELECT array_to_string(parts[1:depth], '/') AS path
    FROM string_to_array(at_path, '/') AS parts
    CROSS JOIN LATERAL generate_series(least(1, cardinality(parts)), cardinality(parts)) AS depth
  ), given AS MATERIALIZED (
    SELECT s.id, s.share_type, s.initiator_uid, s.initiator_uid = s.owner_uid AS by_owner, s.recipient_canonical, s.initial_state,
      s.permissions::integer AS permissions, s.attributes, n.path
    FROM above JOIN node n ON n.storage_id = in_storage AND n.path_hash = md5(above.path)::uuid AND n.path = above.path
    JOIN share s ON s.node_id = n.id
    WHERE s.share_type IN (0, 1) AND s.permissions > 0 AND (s.expires_on IS NULL OR s.expires_on >= current_date)
  ), people AS (
    SELECT initiator_uid AS uid FROM given UNION SELECT asked_uid
  ), held AS (
    SELECT g.*, p.uid FROM given g JOIN people p ON p.uid = g.recipient_canonical
    JOIN share_recipient r ON r.share_id = g.id AND r.uid = p.uid
    WHERE g.share_type = 0 AND r.state = 0
    UNION ALL
    SELECT g.*, p.uid FROM given g JOIN group_member m ON m.gid = g.recipient_canonical JOIN people p ON p.uid = m.uid
    LEFT JOIN share_recipient r ON r.share_id = g.id AND r.uid = p.uid
    WHERE g.share_type = 1 AND coalesce(r.state, CASE
     WHEN g.initiator_uid = p.uid THEN 2
     WHEN g.initial_state = 0 AND EXISTS (
       SELECT FROM user_preference asks
       WHERE asks.uid = p.uid AND asks.app = 'files_sharing' AND asks.key = 'auto_accept_share' AND asks.value = 'no'
     ) THEN 1
     ELSE g.initial_state END) = 0
  ), reached AS (
    SELECT uid, path, permissions FROM held WHERE by_owner OR NOT from_owner
    UNION
    SELECT h.uid, h.path, h.permissions & r.permissions FROM reached r JOIN held h ON h.initiator_uid = r.uid
    WHERE NOT h.by_owner AND (h.permissions & r.permissions) > 0 AND (h.path = r.path OR starts_with(h.path, r.path || '/'))
  )
  SELECT coalesce(bit_or(permissions), 0) FROM reached WHERE uid = asked_uid);
END $function$;

CREATE OR REPLACE FUNCTION public.held_by_resharers(id_of_node bigint)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
DECLARE
  top node%ROWTYPE;
BEGIN
  SELECT * INTO top FROM node WHERE id = id_of_node;
  IF NOT starts_with(top.path, '~') AND NOT EXISTS (SELECT FROM share s WHERE s.owner_uid = top.owner_uid AND s.initiator_uid <> s.owner_uid) THEN
    RETURN NULL;
  END IF;
  RETURN (WITH RECURSIVE sub AS (
     SELECT id FROM node WHERE id = id_of_node
     UNION ALL
     SELECT n.id FROM sub CROSS JOIN LATERAL (SELECT id FROM node WHERE parent_id >= sub.id AND parent_id <= sub.id OFFSET 0) n
   )
    SELECT json_object_agg(i.uid, held_grants(i.uid, top.storage_id, top.path)) FROM (
      SELECT s.initiator_uid AS uid FROM sub JOIN share s ON s.node_id = sub.id UNION SELECT o.initiator_uid FROM sub JOIN trashed_offer o ON o.node_id = sub.id
    ) i WHERE i.uid <> top.owner_uid);
END $function$;

CREATE OR REPLACE FUNCTION public.held_grants(asked_uid text, in_storage integer, at_path text)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN (WITH above AS (
    SELECT array_to_string(parts[1:depth], '/') AS path
    FROM string_to_array(at_path, '/') AS parts
    CROSS JOIN LATERAL generate_series(least(1, cardinality(parts)), cardinality(parts)) AS depth
  ), given AS MATERIALIZED (
    SELECT s.id, s.share_type, s.initiator_uid, s.initiator_uid = s.owner_uid AS by_owner, s.recipient_canonical, s.initial_state,
      s.permissions::integer AS permissions, s.attributes, n.path
    FROM above JOIN node n ON n.storage_id = in_storage AND n.path_hash = md5(above.path)::uuid AND n.path = above.path
    JOIN share s ON s.node_id = n.id
    WHERE s.share_type IN (0, 1) AND s.permissions > 0 
  ), people AS (
    SELECT asked_uid AS uid
  ), held AS (
    SELECT g.*, p.uid FROM given g JOIN people p ON p.uid = g.recipient_canonical
    JOIN share_recipient r ON r.share_id = g.id AND r.uid = p.uid
    WHERE g.share_type = 0 AND r.state = 0
    UNION ALL
    SELECT g.*, p.uid FROM given g JOIN group_member m ON m.gid = g.recipient_canonical JOIN people p ON p.uid = m.uid
    LEFT JOIN share_recipient r ON r.share_id = g.id AND r.uid = p.uid
    WHERE g.share_type = 1 AND coalesce(r.state, CASE
     WHEN g.initiator_uid = p.uid THEN 2
     WHEN g.initial_state = 0 AND EXISTS (
       SELECT FROM user_preference asks
       WHERE asks.uid = p.uid AND asks.app = 'files_sharing' AND asks.key = 'auto_accept_share' AND asks.value = 'no'
     ) THEN 1
     ELSE g.initial_state END) = 0
  )
    SELECT json_agg(json_build_object('permissions', permissions, 'attributes', attributes)) FROM held);
END $function$;

CREATE OR REPLACE FUNCTION public.keep_all_audit_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'audit_event is only added to';
END $function$;

CREATE OR REPLACE FUNCTION public.keep_audit_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  erasing jsonb := nullif(current_setting('drawbridge.erasing', true), '')::jsonb;
BEGIN
  IF erasing IS NOT NULL AND NEW IS NOT DISTINCT FROM audit_without(OLD, erasing ->> 'uid', erasing ->> 'pseudonym') THEN
    RETURN NEW;
  END IF;
  IF OLD.window_key IS NULL OR NEW.attempts <= OLD.attempts
    OR to_jsonb(NEW) - 'attempts' IS DISTINCT FROM to_jsonb(OLD) - 'attempts' THEN
    RAISE EXCEPTION 'audit_event is only added to';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_conditions(of_share bigint, conditions jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE share SET attributes = (SELECT jsonb_agg(DISTINCT one) FROM jsonb_array_elements(coalesce(attributes, '[]')::jsonb || conditions) one)::text,
      demanded_later = demanded_later OR share_type = 6 AND jsonb_path_exists(conditions, '$[*] ? (@.scope == "authentication" && @.key == "second-factor" && (@.enabled == true || @.enabled == "true"))') AND NOT jsonb_path_exists(coalesce(attributes, '[]')::jsonb, '$[*] ? (@.scope == "authentication" && @.key == "second-factor" && (@.enabled == true || @.enabled == "true"))')
    WHERE id = of_share AND share_type IN (3, 6) AND NOT coalesce(attributes, '[]')::jsonb @> conditions;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_conditions_of_trashed_offers(in_storage integer, at_path text, initiators text[], conditions jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE trashed_offer o SET attributes = (SELECT jsonb_agg(DISTINCT one) FROM jsonb_array_elements(coalesce(attributes, '[]')::jsonb || conditions) one)::text
    FROM node n
    WHERE o.initiator_uid = ANY(initiators) AND n.id = o.node_id AND n.storage_id = in_storage AND n.owner_uid <> o.initiator_uid
      AND (n.path = at_path OR starts_with(n.path, at_path || '/')) AND NOT coalesce(attributes, '[]')::jsonb @> conditions
      AND (granted_by_shares(o.initiator_uid, in_storage, n.path, false) & 1) = 0;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_end_of_group_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.acceptance IN ('declined', 'left') AND OLD.delivery_state <> 'refused' THEN
    UPDATE group_recipient SET share_id = NULL, ended = OLD.acceptance, reason = OLD.decline_reason, ended_at = now() WHERE share_id = OLD.id;
  ELSIF OLD.expires_on < current_date THEN
    UPDATE group_recipient SET share_id = NULL, ended = 'expired', ended_at = now() WHERE share_id = OLD.id;
  ELSE
    DELETE FROM group_recipient WHERE share_id = OLD.id;
  END IF;
  RETURN OLD;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_young_audit_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  days integer := audit_retention_days();
BEGIN
  IF days = 0 AND EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM gone WHERE at > now() - make_interval(days => days)) THEN
    RAISE EXCEPTION 'audit_event keeps its rows for % days', days;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.latest_remote_expiry()
 RETURNS date
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF (SELECT count(*) FROM setting WHERE app = 'core' AND value = 'yes'
      AND key IN ('shareapi_default_expire_date_remote_share', 'shareapi_enforce_expire_date_remote_share')) < 2 THEN
    RETURN NULL;
  END IF;
  RETURN current_date + coalesce((SELECT value::integer FROM setting
    WHERE app = 'core' AND key = 'shareapi_expire_after_n_days_remote_share'), 7);
END $function$;

CREATE OR REPLACE FUNCTION public.link_narrows_saved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  saved share%ROWTYPE;
  last_day date := least(NEW.expires_on, latest_remote_expiry());
BEGIN
  IF NEW.password_hash IS NOT NULL AND NEW.password_hash IS DISTINCT FROM OLD.password_hash THEN
    DELETE FROM trashed_offer WHERE link_id = NEW.id;
    DELETE FROM share WHERE link_id = NEW.id;
    RETURN NULL;
  END IF;
  DELETE FROM trashed_offer WHERE link_id = NEW.id AND (permissions & NEW.permissions & 1) = 0;
  UPDATE trashed_offer SET permissions = permissions & NEW.permissions,
      expires_on = CASE WHEN NEW.expires_on IS DISTINCT FROM OLD.expires_on THEN last_day ELSE expires_on END
    WHERE link_id = NEW.id;
  DELETE FROM share WHERE link_id = NEW.id AND (permissions & NEW.permissions & 1) = 0;
  PERFORM lower_share(s.id, NEW.permissions) FROM share s WHERE s.link_id = NEW.id;
  FOR saved IN
    UPDATE share SET expires_on = last_day
    WHERE NEW.expires_on IS DISTINCT FROM OLD.expires_on AND link_id = NEW.id AND expires_on IS DISTINCT FROM last_day RETURNING *
  LOOP
    PERFORM note_share_event('expiry-changed', 'share', to_jsonb(saved));
  END LOOP;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.lower_reshares_of_received_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM lower_share(s.id, NEW.permissions) FROM share s
    WHERE (s.permissions & ~NEW.permissions) <> 0 AND s.via_owner IS DISTINCT FROM 'granted' AND s.node_id IN (
      SELECT n.id FROM storage st JOIN node n ON n.storage_id = st.id WHERE st.received_share_id = NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.lower_share(lowered_id bigint, allowed integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  lowered share%ROWTYPE;
BEGIN
  UPDATE share SET permissions = permissions & allowed WHERE id = lowered_id AND (permissions & ~allowed) <> 0 RETURNING * INTO lowered;
  IF lowered.share_type = 6 THEN
    PERFORM note_share_event('lowered', 'share', to_jsonb(lowered));
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.may_write_by_mount(writer text, in_storage integer, node_path text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM (SELECT r.uid, r.file_target AS target, r.target_hash, r.folder_hash, s.permissions, s.id AS share_id, s.attributes, NULL::jsonb AS requirements, root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag
  FROM share_recipient r
  JOIN share s ON s.id = r.share_id AND s.share_type IN (0, 1)
  JOIN node root ON root.id = s.node_id
  WHERE r.state = 0 AND r.file_target IS NOT NULL AND s.permissions > 0 AND ((s.expires_on IS NULL OR s.expires_on >= current_date) AND s.trashed_at IS NULL) AND (root.received_share_id IS NULL OR coalesce((SELECT f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now()) AND true FROM received_share f WHERE f.id = root.received_share_id), false))
    AND (s.share_type = 0 OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid)) UNION ALL SELECT f.recipient_uid, f.file_target, f.target_hash, f.folder_hash,
    CASE root.kind WHEN 'file' THEN f.permissions & 19::smallint ELSE f.permissions END, NULL::bigint, NULL, f.access -> 'requirements', root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag
  FROM received_share f
  JOIN storage st ON st.received_share_id = ANY(ARRAY[f.id]) AND f.id = ANY(ARRAY[st.received_share_id])
  JOIN node root ON root.storage_id = st.id AND root.path_hash = md5('')::uuid AND root.path = ''
  WHERE f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now())) AS m
    WHERE m.uid = writer AND m.storage_id = in_storage AND (m.permissions & 2) > 0
      AND (node_path = m.root_path OR starts_with(node_path, m.root_path || '/')));
END $function$;

CREATE OR REPLACE FUNCTION public.mount_at(reader text, hashes uuid[], targets text[])
 RETURNS TABLE(target text, storage_id integer, root_path text, grants json)
 LANGUAGE plpgsql
 STABLE ROWS 1
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT m.target, m.storage_id, m.root_path, json_agg(json_build_object(
    'permissions', m.permissions, 'attributes', m.attributes, 'requirements', m.requirements))
  FROM unnest((SELECT hashes)) hash CROSS JOIN LATERAL (
    SELECT * FROM (SELECT r.uid, r.file_target AS target, r.target_hash, r.folder_hash, s.permissions, s.id AS share_id, s.attributes, NULL::jsonb AS requirements, root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag
  FROM share_recipient r
  JOIN share s ON s.id = r.share_id AND s.share_type IN (0, 1)
  JOIN node root ON root.id = s.node_id
  WHERE r.state = 0 AND r.file_target IS NOT NULL AND s.permissions > 0 AND ((s.expires_on IS NULL OR s.expires_on >= current_date) AND s.trashed_at IS NULL) AND (root.received_share_id IS NULL OR coalesce((SELECT f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now()) AND true FROM received_share f WHERE f.id = root.received_share_id), false))
    AND (s.share_type = 0 OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid)) UNION ALL SELECT f.recipient_uid, f.file_target, f.target_hash, f.folder_hash,
    CASE root.kind WHEN 'file' THEN f.permissions & 19::smallint ELSE f.permissions END, NULL::bigint, NULL, f.access -> 'requirements', root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag
  FROM received_share f
  JOIN storage st ON st.received_share_id = ANY(ARRAY[f.id]) AND f.id = ANY(ARRAY[st.received_share_id])
  JOIN node root ON root.storage_id = st.id AND root.path_hash = md5('')::uuid AND root.path = ''
  WHERE f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now())) AS m WHERE m.uid = (SELECT reader) AND m.target_hash = hash AND m.target = ANY((SELECT targets)::text[]) OFFSET 0
  ) m
  GROUP BY m.target, m.root_id, m.storage_id, m.root_path
  ORDER BY char_length(m.target) DESC, m.root_id
  LIMIT 1;
END $function$;

CREATE OR REPLACE FUNCTION public.mount_digest_below(reader text, folder text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN (SELECT md5(string_agg(m.target || ' ' || m.root_etag || ' ' || m.permissions, ' ' ORDER BY m.target, m.root_id, m.share_id)) FROM (SELECT r.uid, r.file_target AS target, r.target_hash, r.folder_hash, s.permissions, s.id AS share_id, s.attributes, NULL::jsonb AS requirements, root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag
  FROM share_recipient r
  JOIN share s ON s.id = r.share_id AND s.share_type IN (0, 1)
  JOIN node root ON root.id = s.node_id
  WHERE r.state = 0 AND r.file_target IS NOT NULL AND s.permissions > 0 AND ((s.expires_on IS NULL OR s.expires_on >= current_date) AND s.trashed_at IS NULL) AND (root.received_share_id IS NULL OR coalesce((SELECT f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now()) AND true FROM received_share f WHERE f.id = root.received_share_id), false))
    AND (s.share_type = 0 OR EXISTS (SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid)) UNION ALL SELECT f.recipient_uid, f.file_target, f.target_hash, f.folder_hash,
    CASE root.kind WHEN 'file' THEN f.permissions & 19::smallint ELSE f.permissions END, NULL::bigint, NULL, f.access -> 'requirements', root.id AS root_id, root.storage_id, root.path AS root_path, root.etag AS root_etag
  FROM received_share f
  JOIN storage st ON st.received_share_id = ANY(ARRAY[f.id]) AND f.id = ANY(ARRAY[st.received_share_id])
  JOIN node root ON root.storage_id = st.id AND root.path_hash = md5('')::uuid AND root.path = ''
  WHERE f.state IN ('accepted', 'quarantined') AND f.file_target IS NOT NULL AND f.permissions > 0
    AND (f.expires_at IS NULL OR f.expires_at > now())) AS m WHERE m.uid = reader AND m.target > folder || '/' AND m.target < folder || '0');
END $function$;

CREATE OR REPLACE FUNCTION public.mount_received_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.state NOT IN ('accepted', 'quarantined') THEN
    DELETE FROM storage WHERE received_share_id = NEW.id;
    RETURN NULL;
  END IF;
  IF NEW.access ->> 'hasFiles' = 'false' THEN
    RETURN NULL;
  END IF;
  WITH made AS (
    INSERT INTO storage (key, owner_uid, received_share_id) VALUES ('received::' || NEW.id, NEW.recipient_uid, NEW.id)
    ON CONFLICT DO NOTHING RETURNING id
  )
  INSERT INTO node (storage_id, received_share_id, owner_uid, name, path, kind, mimetype, size, mtime, etag)
  SELECT id, NEW.id, NEW.recipient_uid, NEW.name, '', coalesce(NEW.kind, 'folder'),
    coalesce(NEW.mimetype, CASE NEW.kind WHEN 'file' THEN 'application/octet-stream' ELSE 'httpd/unix-directory' END),
    coalesce(NEW.size, 0), coalesce(NEW.mtime, NEW.received_at), coalesce(NEW.etag, md5(random()::text || id))
  FROM made;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_group_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  is_news boolean;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF EXISTS (SELECT FROM group_remote_member WHERE gid = NEW.recipient_canonical) THEN
      PERFORM note_group_share_due(NEW.id, false);
    END IF;
    RETURN NULL;
  END IF;
  -- Access is narrowed at once; partners hear of it afterwards.
  is_news := (NEW.permissions, NEW.expires_on, NEW.note) IS DISTINCT FROM (OLD.permissions, OLD.expires_on, OLD.note);
  UPDATE share SET permissions = NEW.permissions, note = NEW.note, expires_on = CASE
      WHEN NEW.expires_on IS DISTINCT FROM OLD.expires_on THEN least(NEW.expires_on, latest_remote_expiry()) ELSE expires_on END
    WHERE is_news AND group_share_id = NEW.id;
  IF FOUND OR EXISTS (SELECT FROM group_remote_member WHERE gid = NEW.recipient_canonical) THEN
    PERFORM note_group_share_due(NEW.id, is_news);
  END IF;
  -- A new last day of the share also renews the offers that expired before it.
  IF NEW.expires_on IS DISTINCT FROM OLD.expires_on THEN
    DELETE FROM group_recipient WHERE group_share_id = NEW.id AND ended = 'expired';
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_group_share_due(id_of_share bigint, tells boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO group_share_due AS d (share_id, tell_after) VALUES (id_of_share, CASE WHEN tells THEN 0 END)
  -- An update, so that a reader of what is due waits for the end of this transaction.
  ON CONFLICT (share_id) DO UPDATE SET due_at = excluded.due_at, actor = excluded.actor,
    tell_after = CASE WHEN tells THEN 0 ELSE d.tell_after END;
END $function$;

CREATE OR REPLACE FUNCTION public.note_group_shares_of_enabled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM note_group_share_due(s.id, false) FROM share s
    WHERE s.initiator_uid = NEW.uid AND s.share_type = 1 AND EXISTS (SELECT FROM group_remote_member m WHERE m.gid = s.recipient_canonical) ORDER BY s.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_group_shares_of_return()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM note_group_share_due(s.id, false) FROM share s JOIN node n ON n.id = s.node_id
    WHERE s.owner_uid = NEW.recipient_uid AND n.received_share_id = NEW.id AND s.share_type = 1 AND EXISTS (SELECT FROM group_remote_member m WHERE m.gid = s.recipient_canonical) ORDER BY s.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_remote_membership()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM note_group_share_due(s.id, false) FROM share s
    WHERE s.share_type = 1 AND s.recipient_canonical IN (SELECT gid FROM changed_member) ORDER BY s.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_share_event(happened text, type_of_subject text, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO share_event (kind, subject_type, subject_id, revision, subject, sealed_secret)
  SELECT happened, type_of_subject, (facts ->> 'id')::bigint, (facts ->> 'revision')::integer,
    (SELECT jsonb_object_agg(key, value) FROM jsonb_each(facts) WHERE key !~ '_(enc|hmac|hash)$') || jsonb_build_object(
      'received_state', (SELECT state FROM received_share WHERE id = (facts ->> 'received_share_id')::bigint)),
    coalesce(facts ->> 'granted_token_enc', facts ->> 'token_enc')::bytea;
END $function$;

CREATE OR REPLACE FUNCTION public.peer_host(host_key text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT regexp_replace(split_part(host_key, '/', 1), ':(80|443)$', '')
$function$;

CREATE OR REPLACE FUNCTION public.peer_host_id(id_of_peer bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN (SELECT present.id FROM peer p
  JOIN peer named ON named.id = coalesce(p.alias_of, p.id)
  JOIN peer host ON host.host_key = peer_host(named.host_key)
  JOIN peer renamed ON renamed.id = coalesce(host.alias_of, host.id)
  JOIN peer present ON present.host_key = peer_host(renamed.host_key)
  WHERE p.id = id_of_peer);
END $function$;

CREATE OR REPLACE FUNCTION public.record_content_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  is_first boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM changed_node n JOIN share s ON s.node_id = n.id AND s.share_type = 6 AND s.acceptance = 'accepted') THEN
    RETURN NULL;
  END IF;
  -- Planned for each statement: a plan for few nodes that is kept compares each of them with each other.
  EXECUTE $told$WITH written AS (
    INSERT INTO content_change AS c (share_id, path)
    SELECT s.id, (SELECT d.path FROM changed_node d WHERE d.storage_id = n.storage_id ORDER BY length(d.path) DESC, d.path LIMIT 1)
    FROM changed_node n JOIN former_node f ON f.id = n.id AND f.etag <> n.etag
    JOIN share s ON s.node_id = n.id AND s.share_type = 6 AND s.acceptance = 'accepted'
    ORDER BY s.id
    -- An update, so that a reader of the change waits for the end of this transaction.
    ON CONFLICT (share_id) DO UPDATE SET revision = c.revision + 1,
      path = CASE WHEN c.told_revision = c.revision OR c.path = excluded.path THEN excluded.path END,
      changed_at = CASE WHEN c.told_revision = c.revision THEN excluded.changed_at ELSE c.changed_at END
    RETURNING revision = told_revision + 1 AS is_first
  ) SELECT bool_or(written.is_first) FROM written$told$ INTO is_first;
  IF is_first THEN
    PERFORM tell_after_commit('outbox:');
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.record_end_by_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO ended_share (id, owner_uid, initiator_uid, recipient, node_id, node_name, node_kind, permissions, expires_on, created_at, ended, reason)
  SELECT OLD.id, OLD.owner_uid, OLD.initiator_uid, OLD.recipient, n.id, n.name, n.kind, OLD.permissions, OLD.expires_on,
    OLD.created_at, OLD.acceptance, OLD.decline_reason
  FROM node n WHERE n.id = OLD.node_id;
  IF FOUND THEN
    PERFORM note_share_event('ended-by-recipient', 'share', to_jsonb(OLD));
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.record_share_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM note_share_event(TG_ARGV[0], replace(TG_TABLE_NAME, '_', '-'), CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_reshare_without_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  granted integer;
BEGIN
  IF NOT reshares_follow() THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('reshares', 0));
  SELECT granted_by_shares(NEW.initiator_uid, n.storage_id, n.path, true) INTO granted FROM node n WHERE n.id = NEW.node_id;
  IF (coalesce(granted, 0) & NEW.permissions) = 0 THEN
    RAISE foreign_key_violation USING MESSAGE = 'the initiator has no access to the node any more';
  END IF;
  PERFORM lower_share(NEW.id, granted);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_share_of_trashed_node()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- The condition is not part of the query's own conditions: a row that does not meet those yet would not be waited for.
  IF (SELECT starts_with(path, '~') FROM node WHERE id = NEW.node_id FOR KEY SHARE) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the node is in the trash bin';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.remove_notifications_of_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM notification WHERE uid IN (OLD.owner_uid, OLD.initiator_uid, OLD.recipient_canonical) AND app = 'files_sharing'
    AND object_type = ANY(TG_ARGV) AND object_id = OLD.id::text;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.remove_reminder_of_received_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.expires_at IS NOT DISTINCT FROM OLD.expires_at AND NEW.state IN ('pending', 'accepted', 'quarantined') THEN
    RETURN NULL;
  END IF;
  DELETE FROM notification WHERE uid = OLD.recipient_uid AND app = 'files_sharing'
    AND object_type = 'expiring_share' AND object_id = 'received:' || OLD.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.remove_reminder_of_recipient()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM notification USING share s WHERE s.id = NEW.share_id AND s.share_type = 0 AND s.reminded_of IS NOT NULL
    AND uid = NEW.uid AND app = 'files_sharing' AND object_type = 'expiring_share' AND object_id = NEW.share_id::text;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.reshares_follow()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM setting WHERE app = 'files_sharing' AND key = 'reshares_without_access' AND value = 'follow');
END $function$;

CREATE OR REPLACE FUNCTION public.search_trigrams(sought text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT COST 1000
AS $function$
  SELECT coalesce(array_agg(DISTINCT substr(sought, i, 3)), '{}') FROM generate_series(1, char_length(sought) - 2) AS i
$function$;

CREATE OR REPLACE FUNCTION public.settle_after_decline()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM settle_reshares_of_share(s, ARRAY[NEW.uid]) FROM share s WHERE s.id = NEW.share_id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.settle_after_membership()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM settle_reshares_of_share(s, ARRAY[OLD.uid]) FROM share s WHERE s.share_type = 1 AND s.recipient_canonical = OLD.gid;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.settle_after_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM settle_reshares_of_share(OLD, CASE OLD.share_type WHEN 0 THEN ARRAY[OLD.recipient_canonical]
    ELSE ARRAY(SELECT uid FROM group_member WHERE gid = OLD.recipient_canonical) END);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.settle_reshares(in_storage integer, at_path text, initiators text[], lost_attributes text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  reshare share%ROWTYPE;
  path_of_node text;
  granted integer;
  follows boolean := reshares_follow();
BEGIN
  -- The lock orders two accesses that end at once, and a reshare that is being made, so that the later one sees the earlier.
  IF follows THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('reshares', 0));
  END IF;
  FOR reshare IN
    SELECT s.* FROM storage st JOIN share s ON s.owner_uid = st.owner_uid JOIN node n ON n.id = s.node_id AND n.storage_id = st.id
    WHERE st.id = in_storage AND s.initiator_uid <> s.owner_uid AND (initiators IS NULL OR s.initiator_uid = ANY(initiators))
      AND (n.path = at_path OR starts_with(n.path, at_path || '/'))
    ORDER BY s.id FOR UPDATE OF s
  LOOP
    SELECT path INTO path_of_node FROM node WHERE id = reshare.node_id;
    granted := granted_by_shares(reshare.initiator_uid, in_storage, path_of_node, follows);
    IF NOT follows THEN
      IF (granted & 1) = 0 THEN
        PERFORM keep_conditions(reshare.id, lost_attributes::jsonb);
      END IF;
      IF granted = 0 AND reshare.access_lost_at IS NULL THEN
        UPDATE share SET access_lost_at = now() WHERE id = reshare.id;
        PERFORM note_share_event('access-lost', 'share', to_jsonb(reshare));
      END IF;
    ELSIF (reshare.permissions & granted) = 0 THEN
      DELETE FROM share WHERE id = reshare.id;
    ELSE
      PERFORM lower_share(reshare.id, granted);
    END IF;
  END LOOP;
  IF lost_attributes IS NOT NULL THEN
    PERFORM keep_conditions_of_trashed_offers(in_storage, at_path, initiators, lost_attributes::jsonb);
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_after_commit(news text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE INFO USING MESSAGE = news, ERRCODE = 'DBN01';
END $function$;

CREATE OR REPLACE FUNCTION public.unsettle_former_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE group_member SET settled_up_to = least(settled_up_to, NEW.id - 1) WHERE gid = NEW.recipient_canonical AND uid = OLD.owner_uid;
  RETURN NULL;
END $function$;

CREATE SEQUENCE schema_migration_id_seq AS integer INCREMENT 1 MINVALUE 1 MAXVALUE 2147483647 START 1 CACHE 1;

CREATE TABLE account_end (
  uid text COLLATE "C" NOT NULL,
  successor_uid text COLLATE "C",
  due_at timestamp with time zone NOT NULL,
  began_at timestamp with time zone,
  was_enabled boolean NOT NULL,
  pseudonym text COLLATE "C" NOT NULL,
  folder_id bigint,
  erasing text COLLATE "C",
  erased_to bigint DEFAULT 0 NOT NULL,
  requested_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE address_card (
  id uuid NOT NULL,
  uid text COLLATE "C",
  content_hash bigint,
  withdrawn boolean DEFAULT false NOT NULL,
  revision bigint NOT NULL
);

CREATE TABLE app_password (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  read_only boolean DEFAULT false NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_at timestamp with time zone,
  strength text COLLATE "C" DEFAULT 'one_factor'::text NOT NULL
);

CREATE TABLE audit_event (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  actor text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  object_id text COLLATE "C",
  outcome text COLLATE "C" DEFAULT 'done'::text NOT NULL,
  address text COLLATE "C",
  request_id text COLLATE "C",
  attempts integer DEFAULT 1 NOT NULL,
  detail jsonb DEFAULT '{}'::jsonb NOT NULL,
  window_key uuid
);

CREATE TABLE background_move (
  id uuid NOT NULL,
  uid text COLLATE "C" NOT NULL,
  outcome jsonb,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE browser_session (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  password_digest bytea NOT NULL,
  user_agent text NOT NULL,
  address text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_at timestamp with time zone DEFAULT now() NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  issuer text COLLATE "C",
  issuer_session text COLLATE "C",
  strength text COLLATE "C" DEFAULT 'one_factor'::text NOT NULL
);

CREATE TABLE cached_content (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  node_id bigint,
  etag text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  mtime timestamp with time zone,
  blob_key text COLLATE "C" NOT NULL,
  checked_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE call_budget (
  bucket text COLLATE "C" NOT NULL,
  level double precision NOT NULL,
  spent_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE capability_entry (
  app text COLLATE "C" NOT NULL,
  entry jsonb NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE contact (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  peer_id bigint NOT NULL,
  remote_user text COLLATE "C" NOT NULL,
  display_name text DEFAULT ''::text NOT NULL,
  email text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  person text COLLATE "C"
);

CREATE TABLE content_change (
  share_id bigint NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  told_revision integer DEFAULT 0 NOT NULL,
  path text COLLATE "C",
  changed_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE dead_property (
  node_id bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL
);

CREATE TABLE delivery_attempt (
  message_id bigint NOT NULL,
  attempt integer NOT NULL,
  round integer NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  error_class text COLLATE "C",
  error_message text,
  endpoint text,
  dialect text,
  http_status smallint,
  duration_ms integer,
  excerpt text
);

CREATE TABLE directory_service (
  url text COLLATE "C" NOT NULL,
  public_key text NOT NULL,
  federation text DEFAULT ''::text NOT NULL,
  servers jsonb DEFAULT '[]'::jsonb NOT NULL,
  fetched_at timestamp with time zone,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  error text DEFAULT ''::text NOT NULL
);

CREATE TABLE directory_sync (
  kind text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  mark text,
  read_at timestamp with time zone,
  read_fully_at timestamp with time zone,
  people integer DEFAULT 0 NOT NULL,
  groups integer DEFAULT 0 NOT NULL,
  refused integer DEFAULT 0 NOT NULL,
  held_back text,
  failure text,
  failed_at timestamp with time zone
);

CREATE TABLE ended_share (
  id bigint NOT NULL,
  owner_uid text COLLATE "C" NOT NULL,
  initiator_uid text COLLATE "C" NOT NULL,
  recipient text COLLATE "C" NOT NULL,
  node_id bigint NOT NULL,
  node_name text COLLATE "C" NOT NULL,
  node_kind text COLLATE "C" NOT NULL,
  permissions smallint NOT NULL,
  expires_on date,
  created_at timestamp with time zone NOT NULL,
  ended text COLLATE "C" NOT NULL,
  ended_at timestamp with time zone DEFAULT now() NOT NULL,
  reason text
);

CREATE TABLE external_group (
  kind text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  gid text COLLATE "C" NOT NULL,
  merged boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  gone_at timestamp with time zone
);

CREATE TABLE external_identity (
  kind text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  managed_fields text[] NOT NULL,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  told_at timestamp with time zone,
  signed_out_at timestamp with time zone,
  place text,
  gone_at timestamp with time zone
);

CREATE TABLE external_membership (
  gid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL
);

CREATE TABLE file_version (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  node_id bigint NOT NULL,
  size bigint NOT NULL,
  mtime timestamp with time zone NOT NULL,
  etag text NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  checksum text,
  author_kind text COLLATE "C",
  author text,
  stored_at timestamp with time zone NOT NULL,
  label text
);

CREATE TABLE foreign_link (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  peer_id bigint NOT NULL,
  token_hmac bytea NOT NULL,
  sealed_keys bytea,
  state text COLLATE "C" DEFAULT 'waiting'::text NOT NULL,
  reason text COLLATE "C" DEFAULT ''::text NOT NULL,
  words text DEFAULT ''::text NOT NULL,
  provider_id text COLLATE "C",
  received_share_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE group_member (
  gid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  settled_up_to bigint DEFAULT 0 NOT NULL
);

CREATE TABLE group_recipient (
  group_share_id bigint NOT NULL,
  canonical text COLLATE "C" NOT NULL,
  recipient text NOT NULL,
  share_id bigint,
  ended text COLLATE "C",
  reason text,
  ended_at timestamp with time zone,
  member_since timestamp with time zone
);

CREATE TABLE group_remote_member (
  gid text COLLATE "C" NOT NULL,
  canonical text COLLATE "C" NOT NULL,
  cloud_id text NOT NULL,
  peer_id bigint NOT NULL,
  added_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE group_share_due (
  share_id bigint NOT NULL,
  tell_after bigint,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  actor jsonb DEFAULT (NULLIF(current_setting('drawbridge.acting'::text, true), ''::text))::jsonb
);

CREATE TABLE group_subadmin (
  gid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL
);

CREATE TABLE inbox_message (
  peer_id bigint NOT NULL,
  dedupe_hash bytea NOT NULL,
  kind text COLLATE "C" NOT NULL,
  received_at timestamp with time zone DEFAULT now() NOT NULL,
  http_status smallint NOT NULL,
  reply jsonb
);

CREATE TABLE instance (
  only_row boolean DEFAULT true NOT NULL,
  instance_id text NOT NULL,
  key_check bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  sealed_lookup_key bytea,
  backed_up_at timestamp with time zone,
  rehearsed_backup_at timestamp with time zone
);

CREATE TABLE invitation (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  token_hmac bytea NOT NULL,
  description text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  accepted_at timestamp with time zone,
  mail_to text,
  sealed_token bytea,
  mail_attempts integer DEFAULT 0 NOT NULL,
  mail_at timestamp with time zone
);

CREATE TABLE invitation_acceptance (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  peer_id bigint NOT NULL,
  sealed_token bytea,
  state text COLLATE "C" DEFAULT 'waiting'::text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  contact_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE link_of_deleted_node (
  token_hmac bytea NOT NULL,
  ended_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE login_flow (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  login_hash bytea NOT NULL,
  poll_hash bytea NOT NULL,
  client text NOT NULL,
  address text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  uid text COLLATE "C",
  read_only boolean DEFAULT false NOT NULL,
  strength text COLLATE "C" DEFAULT 'one_factor'::text NOT NULL
);

CREATE TABLE mail_lookup (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  mail text COLLATE "C" NOT NULL,
  state text COLLATE "C" DEFAULT 'waiting'::text NOT NULL,
  cloud_id text COLLATE "C",
  reason text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL
);

CREATE TABLE mail_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  share_id bigint NOT NULL,
  sender_uid text COLLATE "C" NOT NULL,
  recipient_uid text COLLATE "C",
  address text NOT NULL,
  note text,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  last_error text,
  sent_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE node (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  storage_id integer NOT NULL,
  parent_id bigint,
  owner_uid text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  path_hash uuid GENERATED ALWAYS AS ((md5(path))::uuid) STORED,
  kind text COLLATE "C" NOT NULL,
  mimetype text NOT NULL,
  size bigint DEFAULT 0 NOT NULL,
  mtime timestamp with time zone NOT NULL,
  etag text NOT NULL,
  blob_key text COLLATE "C",
  checksum text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  received_share_id bigint,
  partner_etag text,
  listed_at timestamp with time zone,
  author_kind text COLLATE "C",
  author text,
  stored_at timestamp with time zone
);

CREATE TABLE node_lock (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  token uuid NOT NULL,
  node_id bigint NOT NULL,
  storage_id integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  is_exclusive boolean NOT NULL,
  is_deep boolean NOT NULL,
  uid text COLLATE "C",
  share_id bigint,
  owner_xml text,
  timeout_seconds integer NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL
);

CREATE TABLE notification (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  app text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  message text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE notification_mail (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  message text DEFAULT ''::text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  object_type text COLLATE "C",
  object_id text COLLATE "C"
);

CREATE TABLE offer_block (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  host_key text COLLATE "C" NOT NULL,
  person text COLLATE "C" DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE offer_report (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  reporter_uid text COLLATE "C" NOT NULL,
  host_key text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  sender text NOT NULL,
  name text NOT NULL,
  reason text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE operation_sample (
  at timestamp with time zone NOT NULL,
  delivered integer NOT NULL,
  given_up integer NOT NULL,
  waiting integer NOT NULL,
  dead integer NOT NULL
);

CREATE TABLE outbox_message (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  subject_type text COLLATE "C" NOT NULL,
  subject_id bigint NOT NULL,
  peer_id bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  dedupe_key text COLLATE "C" NOT NULL,
  payload jsonb NOT NULL,
  sealed_secret bytea,
  state text COLLATE "C" DEFAULT 'pending'::text NOT NULL,
  round integer DEFAULT 0 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  maybe_delivered boolean DEFAULT false NOT NULL,
  available_at timestamp with time zone DEFAULT now() NOT NULL,
  lease_until timestamp with time zone,
  deadline_at timestamp with time zone NOT NULL,
  error_class text COLLATE "C",
  error_message text,
  reply jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone,
  origin text COLLATE "C" DEFAULT ((NULLIF(current_setting('drawbridge.acting'::text, true), ''::text))::jsonb ->> 'origin'::text)
);

CREATE TABLE partner_address_book (
  peer_id bigint NOT NULL,
  sync_token text DEFAULT ''::text NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  fetched_at timestamp with time zone,
  error text DEFAULT ''::text NOT NULL
);

CREATE TABLE partner_address_card (
  peer_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  etag text COLLATE "C" NOT NULL,
  cloud_id text COLLATE "C",
  canonical text COLLATE "C",
  display_name text NOT NULL,
  email text NOT NULL,
  organisation text NOT NULL,
  search_text text GENERATED ALWAYS AS (lower((((((cloud_id COLLATE "default") || '
'::text) || display_name) || '
'::text) || email))) STORED
);

CREATE TABLE partner_keys (
  peer_id bigint NOT NULL,
  document_keys text DEFAULT ''::text NOT NULL,
  document_read_at timestamp with time zone,
  jwks text DEFAULT ''::text NOT NULL,
  jwks_read_at timestamp with time zone,
  asked_at timestamp with time zone,
  answered_at timestamp with time zone,
  signed_at timestamp with time zone
);

CREATE TABLE partner_rename (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  from_host text COLLATE "C" NOT NULL,
  to_host text COLLATE "C" NOT NULL,
  is_old_host_gone boolean NOT NULL,
  uid text COLLATE "C" NOT NULL,
  state text COLLATE "C" DEFAULT 'waiting'::text NOT NULL,
  reason text COLLATE "C" DEFAULT ''::text NOT NULL,
  words text DEFAULT ''::text NOT NULL,
  moved jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE passkey (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  challenged_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_at timestamp with time zone
);

CREATE TABLE peer (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  host_key text COLLATE "C" NOT NULL,
  profile jsonb,
  pinned_profile jsonb,
  discovered_at timestamp with time zone,
  profile_expires_at timestamp with time zone,
  discovery_failed_until timestamp with time zone,
  discovery_error text,
  trust text COLLATE "C" DEFAULT 'unknown'::text NOT NULL,
  paused boolean DEFAULT false NOT NULL,
  concurrency smallint DEFAULT 2 NOT NULL,
  rate_per_second real DEFAULT 5 NOT NULL,
  rate_burst integer DEFAULT 10 NOT NULL,
  gate jsonb DEFAULT '{"bucket": null, "breaker": {"recent": [], "openings": 0, "openUntilMs": null}}'::jsonb NOT NULL,
  parked_until timestamp with time zone,
  alias_of bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  looks_after timestamp with time zone,
  outgoing_trust text COLLATE "C",
  signatures text COLLATE "C",
  sign_by text COLLATE "C",
  ignores_unreadable_signatures boolean DEFAULT false NOT NULL,
  host_id bigint NOT NULL,
  content_failures integer DEFAULT 0 NOT NULL,
  content_failed_at timestamp with time zone,
  content_shut_until timestamp with time zone
);

CREATE TABLE private_value (
  uid text COLLATE "C" NOT NULL,
  app text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  saved_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE push_news (
  written_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
  topic text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  written_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE quarantined_content (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  owner_uid text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  finding text NOT NULL,
  author_kind text COLLATE "C",
  author text,
  share_id bigint,
  size bigint NOT NULL,
  sha1 text COLLATE "C" NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  kept_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE received_share (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  peer_id bigint NOT NULL,
  provider_id text COLLATE "C" NOT NULL,
  token_hmac bytea NOT NULL,
  token_enc bytea NOT NULL,
  recipient_uid text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  owner_display_name text DEFAULT ''::text NOT NULL,
  sender text NOT NULL,
  sender_display_name text DEFAULT ''::text NOT NULL,
  name text COLLATE "C" NOT NULL,
  description text DEFAULT ''::text NOT NULL,
  kind text COLLATE "C",
  permissions smallint NOT NULL,
  expires_at timestamp with time zone,
  dialect text COLLATE "C" NOT NULL,
  access jsonb DEFAULT '{}'::jsonb NOT NULL,
  verified boolean DEFAULT false NOT NULL,
  state text COLLATE "C" DEFAULT 'pending'::text NOT NULL,
  revision integer DEFAULT 0 NOT NULL,
  file_target text COLLATE "C",
  target_hash uuid GENERATED ALWAYS AS ((md5(file_target))::uuid) STORED,
  folder_hash uuid GENERATED ALWAYS AS ((md5(regexp_replace(file_target, '/[^/]*$'::text, ''::text)))::uuid) STORED,
  mimetype text,
  size bigint,
  mtime timestamp with time zone,
  etag text,
  received_at timestamp with time zone DEFAULT now() NOT NULL,
  decided_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  unreachable_since timestamp with time zone,
  quarantined_at timestamp with time zone,
  last_probe_at timestamp with time zone,
  failed_probes smallint DEFAULT 0 NOT NULL,
  gone_at timestamp with time zone,
  access_token_enc bytea,
  access_token_expires_at timestamp with time zone,
  look_at timestamp with time zone DEFAULT now(),
  content_failures integer DEFAULT 0 NOT NULL,
  content_failed_at timestamp with time zone,
  content_shut_until timestamp with time zone,
  used_at timestamp with time zone,
  seen_at timestamp with time zone,
  reminded_of timestamp with time zone,
  webapp_token_enc bytea
);

CREATE TABLE recovery_code (
  code_hash bytea NOT NULL,
  uid text COLLATE "C" NOT NULL
);

CREATE TABLE schema_function (
  subject text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  digest text COLLATE "C" NOT NULL,
  triggers text[] NOT NULL
);

CREATE TABLE schema_migration (
  id integer DEFAULT nextval('schema_migration_id_seq'::regclass) NOT NULL,
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL
);

CREATE TABLE scim_client (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  secret_hash bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_at timestamp with time zone
);

CREATE TABLE scim_resource (
  seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  id uuid NOT NULL,
  client_id integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text NOT NULL,
  folded_name text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  uid text COLLATE "C",
  gid text COLLATE "C",
  person_name jsonb,
  ended_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL,
  revision integer DEFAULT 0 NOT NULL
);

CREATE TABLE seen_signature (
  hash bytea NOT NULL,
  until timestamp with time zone NOT NULL
);

CREATE TABLE sent_share_request (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  uid text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  resource text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE setting (
  app text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL
);

CREATE TABLE share (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  share_type smallint NOT NULL,
  node_id bigint NOT NULL,
  owner_uid text COLLATE "C" NOT NULL,
  initiator_uid text COLLATE "C" NOT NULL,
  recipient text COLLATE "C",
  recipient_canonical text COLLATE "C",
  permissions smallint NOT NULL,
  file_target text COLLATE "C" DEFAULT ''::text NOT NULL,
  initial_state smallint DEFAULT 0 NOT NULL,
  token_hmac bytea,
  token_enc bytea,
  password_hash text,
  expires_on date,
  name text,
  attributes text,
  parent_id bigint,
  mail_sent boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  peer_id bigint,
  revision integer DEFAULT 0 NOT NULL,
  delivery_state text COLLATE "C",
  delivery_attempts integer DEFAULT 0 NOT NULL,
  delivery_next_attempt timestamp with time zone,
  delivery_error text,
  delivered_at timestamp with time zone,
  acceptance text COLLATE "C",
  acceptance_source text COLLATE "C",
  requester_peer_id bigint,
  requester_share_id text,
  via_owner text COLLATE "C",
  remote_owner text,
  received_share_id bigint,
  granted_id text COLLATE "C",
  granted_token_hmac bytea,
  granted_token_enc bytea,
  must_exchange boolean DEFAULT false NOT NULL,
  access_lost_at timestamp with time zone,
  link_id bigint,
  recipient_peer_id bigint,
  doubted_at timestamp with time zone,
  trashed_at timestamp with time zone,
  first_read_at timestamp with time zone,
  note text,
  seen_at timestamp with time zone,
  decline_reason text,
  reminded_of date,
  group_share_id bigint,
  recipient_is_group boolean DEFAULT false NOT NULL,
  demanded_later boolean DEFAULT false NOT NULL,
  requested_of bigint
);

CREATE TABLE share_event (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text COLLATE "C" NOT NULL,
  subject_type text COLLATE "C" NOT NULL,
  subject_id bigint NOT NULL,
  revision integer NOT NULL,
  actor jsonb DEFAULT (NULLIF(current_setting('drawbridge.acting'::text, true), ''::text))::jsonb,
  subject jsonb NOT NULL,
  sealed_secret bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE share_notice_dismissed (
  uid text COLLATE "C" NOT NULL,
  share_id bigint NOT NULL
);

CREATE TABLE share_recipient (
  share_id bigint NOT NULL,
  uid text COLLATE "C" NOT NULL,
  state smallint NOT NULL,
  file_target text COLLATE "C",
  target_hash uuid GENERATED ALWAYS AS ((md5(file_target))::uuid) STORED,
  folder_hash uuid GENERATED ALWAYS AS ((md5(regexp_replace(file_target, '/[^/]*$'::text, ''::text)))::uuid) STORED
);

CREATE TABLE signing_key (
  id text COLLATE "C" NOT NULL,
  algorithm text COLLATE "C" NOT NULL,
  sealed_private_key bytea NOT NULL,
  public_jwk jsonb NOT NULL,
  not_before timestamp with time zone NOT NULL,
  retired_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE storage (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text COLLATE "C" NOT NULL,
  owner_uid text COLLATE "C" NOT NULL,
  received_share_id bigint,
  changed_at timestamp with time zone,
  node_count bigint DEFAULT 0,
  version_bytes bigint DEFAULT 0 NOT NULL
);

CREATE TABLE stored_write (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  received_share_id bigint NOT NULL,
  peer_id bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  node_id bigint,
  writer_uid text COLLATE "C" NOT NULL,
  share_name text NOT NULL,
  host_key text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  sha1 text COLLATE "C" NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  mtime timestamp with time zone NOT NULL,
  expects text,
  sent_sha1 text COLLATE "C",
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone DEFAULT now() NOT NULL,
  held_until timestamp with time zone,
  refusal text COLLATE "C",
  last_error text,
  stored_at timestamp with time zone DEFAULT now() NOT NULL,
  given_up boolean DEFAULT false NOT NULL
);

CREATE TABLE throttle (
  bucket text COLLATE "C" NOT NULL,
  failures integer NOT NULL,
  window_ends_at timestamp with time zone NOT NULL
);

CREATE TABLE totp (
  uid text COLLATE "C" NOT NULL,
  sealed_secret bytea NOT NULL,
  last_step bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE trashed_node (
  node_id bigint NOT NULL,
  owner_uid text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  folder_path text COLLATE "C" NOT NULL,
  deleted_at timestamp with time zone NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  actor text,
  share_id bigint
);

CREATE TABLE trashed_offer (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  node_id bigint NOT NULL,
  initiator_uid text COLLATE "C" NOT NULL,
  recipient text COLLATE "C" NOT NULL,
  recipient_canonical text COLLATE "C" NOT NULL,
  permissions smallint NOT NULL,
  expires_on date,
  link_id bigint,
  attributes text,
  note text,
  recipient_is_group boolean DEFAULT false NOT NULL
);

CREATE TABLE trusted_handshake (
  peer_id bigint NOT NULL,
  state text COLLATE "C" DEFAULT 'asking'::text NOT NULL,
  sealed_own_token bytea,
  sealed_partner_token bytea,
  secret_hmac bytea,
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone,
  reason text DEFAULT ''::text NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL,
  sealed_secret bytea
);

CREATE TABLE unfinished_copy (
  name text COLLATE "C" NOT NULL,
  storage_id integer NOT NULL,
  path text COLLATE "C" NOT NULL,
  begun_at timestamp with time zone DEFAULT now() NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE upload (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  uid text COLLATE "C",
  share_id bigint,
  storage_id integer NOT NULL,
  target text COLLATE "C",
  total_size bigint,
  replaces_bytes bigint DEFAULT 0 NOT NULL,
  received_bytes bigint DEFAULT 0 NOT NULL,
  revision bigint DEFAULT 0 NOT NULL,
  told jsonb DEFAULT '{}'::jsonb NOT NULL,
  finished_node_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  touched_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE upload_part (
  upload_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  blob_key text COLLATE "C" NOT NULL,
  stored_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE user_account (
  uid text COLLATE "C" NOT NULL,
  display_name text NOT NULL,
  email text,
  password_hash text NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  quota_bytes bigint,
  language text DEFAULT 'en'::text NOT NULL,
  credentials_version integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_login_at timestamp with time zone,
  search_text text GENERATED ALWAYS AS (lower((((((uid COLLATE "default") || '
'::text) || display_name) || '
'::text) || COALESCE(email, ''::text)))) STORED
);

CREATE TABLE user_avatar (
  uid text COLLATE "C" NOT NULL,
  stage text COLLATE "C" NOT NULL,
  picture bytea NOT NULL,
  mimetype text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  saved_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE user_group (
  gid text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  search_text text GENERATED ALWAYS AS (lower((gid COLLATE "default"))) STORED
);

CREATE TABLE user_preference (
  uid text COLLATE "C" NOT NULL,
  app text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL
);

CREATE OR REPLACE FUNCTION public.audit_share_facts(told share)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  SELECT jsonb_build_object('type', CASE told.share_type WHEN 0 THEN 'user' WHEN 1 THEN 'group' WHEN 3 THEN 'link' ELSE 'federated' END,
    'node', told.node_id, 'owner', told.owner_uid, 'initiator', told.initiator_uid, 'recipient', left(told.recipient, 512),
    'permissions', told.permissions, 'expires', told.expires_on)
$function$;

CREATE OR REPLACE FUNCTION public.audit_without(told audit_event, ended text, pseudonym text)
 RETURNS audit_event
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
DECLARE
  is_actor boolean := told.actor_kind = 'user' AND lower(told.actor) = lower(ended);
  is_object boolean := told.object_type = 'account' AND lower(told.object_id) = lower(ended);
  is_named boolean := EXISTS (SELECT FROM jsonb_each_text(told.detail) d WHERE lower(d.value) = lower(ended));
BEGIN
  IF coalesce(is_actor, false) OR coalesce(is_object, false) OR is_named THEN
    told.actor := CASE WHEN is_actor THEN pseudonym ELSE told.actor END;
    told.object_id := CASE WHEN is_object THEN pseudonym ELSE told.object_id END;
    told.address := CASE WHEN is_actor OR told.actor IS NULL THEN NULL ELSE told.address END;
    told.detail := (SELECT coalesce(jsonb_object_agg(d.key, CASE WHEN lower(d.value #>> '{}') = lower(ended) THEN to_jsonb(pseudonym) ELSE d.value END), '{}')
      FROM jsonb_each(told.detail) d WHERE d.key NOT IN ('path', 'name'));
  END IF;
  RETURN told;
END $function$;

CREATE OR REPLACE FUNCTION public.settle_reshares_of_share(lost share, uids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF reshares_follow() OR EXISTS (SELECT FROM share s WHERE s.owner_uid = lost.owner_uid AND s.initiator_uid <> s.owner_uid)
      OR lost.attributes IS NOT NULL AND EXISTS (SELECT FROM trashed_offer o WHERE o.initiator_uid = ANY(uids)) THEN
    PERFORM settle_reshares(n.storage_id, n.path, uids, CASE WHEN (lost.permissions & 1) <> 0 THEN lost.attributes END) FROM node n WHERE n.id = lost.node_id;
  END IF;
END $function$;

ALTER SEQUENCE schema_migration_id_seq OWNED BY schema_migration.id;

ALTER TABLE account_end ADD CONSTRAINT account_end_pkey PRIMARY KEY (uid);

ALTER TABLE account_end ADD CONSTRAINT account_end_successor_check CHECK ((successor_uid <> uid));

ALTER TABLE address_card ADD CONSTRAINT address_card_pkey PRIMARY KEY (id);

ALTER TABLE address_card ADD CONSTRAINT address_card_uid_key UNIQUE (uid);

ALTER TABLE app_password ADD CONSTRAINT app_password_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 128)));

ALTER TABLE app_password ADD CONSTRAINT app_password_pkey PRIMARY KEY (id);

ALTER TABLE app_password ADD CONSTRAINT app_password_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ '{files,sharing,administration}'::text[])));

ALTER TABLE app_password ADD CONSTRAINT app_password_secret_hash_check CHECK ((octet_length(secret_hash) = 32));

ALTER TABLE app_password ADD CONSTRAINT app_password_strength_check CHECK ((strength = ANY (ARRAY['one_factor'::text, 'two_factors'::text])));

ALTER TABLE audit_event ADD CONSTRAINT audit_event_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'partner'::text, 'operator'::text, 'system'::text])));

ALTER TABLE audit_event ADD CONSTRAINT audit_event_detail_check CHECK ((octet_length((detail)::text) <= 4096));

ALTER TABLE audit_event ADD CONSTRAINT audit_event_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text])));

ALTER TABLE audit_event ADD CONSTRAINT audit_event_pkey PRIMARY KEY (id);

ALTER TABLE background_move ADD CONSTRAINT background_move_pkey PRIMARY KEY (id);

ALTER TABLE browser_session ADD CONSTRAINT browser_session_issuer_check CHECK ((char_length(issuer) <= 512));

ALTER TABLE browser_session ADD CONSTRAINT browser_session_issuer_session_check CHECK ((char_length(issuer_session) <= 255));

ALTER TABLE browser_session ADD CONSTRAINT browser_session_password_digest_check CHECK ((octet_length(password_digest) = 32));

ALTER TABLE browser_session ADD CONSTRAINT browser_session_pkey PRIMARY KEY (id);

ALTER TABLE browser_session ADD CONSTRAINT browser_session_secret_hash_check CHECK ((octet_length(secret_hash) = 32));

ALTER TABLE browser_session ADD CONSTRAINT browser_session_strength_check CHECK ((strength = ANY (ARRAY['one_factor'::text, 'two_factors'::text])));

ALTER TABLE browser_session ADD CONSTRAINT browser_session_user_agent_check CHECK ((char_length(user_agent) <= 256));

ALTER TABLE cached_content ADD CONSTRAINT cached_content_pkey PRIMARY KEY (id);

ALTER TABLE cached_content ADD CONSTRAINT cached_content_size_check CHECK ((size >= 0));

ALTER TABLE call_budget ADD CONSTRAINT call_budget_pkey PRIMARY KEY (bucket);

ALTER TABLE capability_entry ADD CONSTRAINT capability_entry_pkey PRIMARY KEY (app);

ALTER TABLE contact ADD CONSTRAINT contact_person_check CHECK (((octet_length(person) >= 1) AND (octet_length(person) <= 1024)));

ALTER TABLE contact ADD CONSTRAINT contact_pkey PRIMARY KEY (id);

ALTER TABLE contact ADD CONSTRAINT contact_remote_user_check CHECK (((octet_length(remote_user) >= 1) AND (octet_length(remote_user) <= 1024)));

ALTER TABLE contact ADD CONSTRAINT contact_uid_peer_id_remote_user_key UNIQUE (uid, peer_id, remote_user);

ALTER TABLE content_change ADD CONSTRAINT content_change_pkey PRIMARY KEY (share_id);

ALTER TABLE dead_property ADD CONSTRAINT dead_property_pkey PRIMARY KEY (node_id, namespace, name);

ALTER TABLE delivery_attempt ADD CONSTRAINT delivery_attempt_pkey PRIMARY KEY (message_id, round);

ALTER TABLE directory_service ADD CONSTRAINT directory_service_pkey PRIMARY KEY (url);

ALTER TABLE directory_service ADD CONSTRAINT directory_service_public_key_check CHECK ((octet_length(public_key) <= 8192));

ALTER TABLE directory_service ADD CONSTRAINT directory_service_url_check CHECK (((octet_length(url) >= 1) AND (octet_length(url) <= 2048)));

ALTER TABLE directory_sync ADD CONSTRAINT directory_sync_failure_check CHECK ((char_length(failure) <= 500));

ALTER TABLE directory_sync ADD CONSTRAINT directory_sync_held_back_check CHECK ((char_length(held_back) <= 500));

ALTER TABLE directory_sync ADD CONSTRAINT directory_sync_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'ldap'::text, 'scim'::text])));

ALTER TABLE directory_sync ADD CONSTRAINT directory_sync_mark_check CHECK ((char_length(mark) <= 64));

ALTER TABLE directory_sync ADD CONSTRAINT directory_sync_pkey PRIMARY KEY (kind, source);

ALTER TABLE directory_sync ADD CONSTRAINT directory_sync_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 512)));

ALTER TABLE ended_share ADD CONSTRAINT ended_share_ended_check CHECK ((ended = ANY (ARRAY['declined'::text, 'left'::text])));

ALTER TABLE ended_share ADD CONSTRAINT ended_share_node_kind_check CHECK ((node_kind = ANY (ARRAY['file'::text, 'folder'::text])));

ALTER TABLE ended_share ADD CONSTRAINT ended_share_permissions_check CHECK (((permissions >= 0) AND (permissions <= 31)));

ALTER TABLE ended_share ADD CONSTRAINT ended_share_pkey PRIMARY KEY (id);

ALTER TABLE external_group ADD CONSTRAINT external_group_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'ldap'::text, 'scim'::text])));

ALTER TABLE external_group ADD CONSTRAINT external_group_pkey PRIMARY KEY (kind, source, subject);

ALTER TABLE external_group ADD CONSTRAINT external_group_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 512)));

ALTER TABLE external_group ADD CONSTRAINT external_group_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)));

ALTER TABLE external_identity ADD CONSTRAINT external_identity_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'ldap'::text, 'scim'::text])));

ALTER TABLE external_identity ADD CONSTRAINT external_identity_managed_fields_check CHECK ((managed_fields <@ '{displayName,email,quota,password}'::text[]));

ALTER TABLE external_identity ADD CONSTRAINT external_identity_pkey PRIMARY KEY (kind, source, subject);

ALTER TABLE external_identity ADD CONSTRAINT external_identity_place_check CHECK ((char_length(place) <= 2048));

ALTER TABLE external_identity ADD CONSTRAINT external_identity_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 512)));

ALTER TABLE external_identity ADD CONSTRAINT external_identity_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)));

ALTER TABLE external_membership ADD CONSTRAINT external_membership_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'ldap'::text, 'scim'::text])));

ALTER TABLE external_membership ADD CONSTRAINT external_membership_pkey PRIMARY KEY (gid, uid, kind, source);

ALTER TABLE external_membership ADD CONSTRAINT external_membership_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 512)));

ALTER TABLE file_version ADD CONSTRAINT file_version_pkey PRIMARY KEY (id);

ALTER TABLE file_version ADD CONSTRAINT file_version_size_check CHECK ((size > 0));

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_check CHECK (((state = 'waiting'::text) = (sealed_keys IS NOT NULL)));

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_check1 CHECK (((state = 'saved'::text) = (received_share_id IS NOT NULL)));

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_pkey PRIMARY KEY (id);

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'asked'::text, 'saved'::text, 'refused'::text])));

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_uid_peer_id_token_hmac_key UNIQUE (uid, peer_id, token_hmac);

ALTER TABLE group_member ADD CONSTRAINT group_member_pkey PRIMARY KEY (gid, uid);

ALTER TABLE group_recipient ADD CONSTRAINT group_recipient_ended_check CHECK ((ended = ANY (ARRAY['declined'::text, 'left'::text, 'expired'::text])));

ALTER TABLE group_recipient ADD CONSTRAINT group_recipient_pkey PRIMARY KEY (group_share_id, canonical);

ALTER TABLE group_remote_member ADD CONSTRAINT group_remote_member_canonical_check CHECK ((octet_length(canonical) <= 512));

ALTER TABLE group_remote_member ADD CONSTRAINT group_remote_member_cloud_id_check CHECK ((char_length(cloud_id) <= 512));

ALTER TABLE group_remote_member ADD CONSTRAINT group_remote_member_pkey PRIMARY KEY (gid, canonical);

ALTER TABLE group_share_due ADD CONSTRAINT group_share_due_pkey PRIMARY KEY (share_id);

ALTER TABLE group_subadmin ADD CONSTRAINT group_subadmin_pkey PRIMARY KEY (gid, uid);

ALTER TABLE inbox_message ADD CONSTRAINT inbox_message_pkey PRIMARY KEY (peer_id, dedupe_hash);

ALTER TABLE instance ADD CONSTRAINT instance_only_row_check CHECK (only_row);

ALTER TABLE instance ADD CONSTRAINT instance_pkey PRIMARY KEY (only_row);

ALTER TABLE invitation ADD CONSTRAINT invitation_check CHECK (((mail_at IS NULL) = (sealed_token IS NULL)));

ALTER TABLE invitation ADD CONSTRAINT invitation_mail_to_check CHECK ((char_length(mail_to) <= 254));

ALTER TABLE invitation ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);

ALTER TABLE invitation ADD CONSTRAINT invitation_token_hmac_key UNIQUE (token_hmac);

ALTER TABLE invitation_acceptance ADD CONSTRAINT invitation_acceptance_check CHECK (((state = 'waiting'::text) = (sealed_token IS NOT NULL)));

ALTER TABLE invitation_acceptance ADD CONSTRAINT invitation_acceptance_pkey PRIMARY KEY (id);

ALTER TABLE invitation_acceptance ADD CONSTRAINT invitation_acceptance_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'accepted'::text, 'refused'::text])));

ALTER TABLE link_of_deleted_node ADD CONSTRAINT link_of_deleted_node_pkey PRIMARY KEY (token_hmac);

ALTER TABLE login_flow ADD CONSTRAINT login_flow_client_check CHECK (((char_length(client) >= 1) AND (char_length(client) <= 128)));

ALTER TABLE login_flow ADD CONSTRAINT login_flow_login_hash_check CHECK ((octet_length(login_hash) = 32));

ALTER TABLE login_flow ADD CONSTRAINT login_flow_pkey PRIMARY KEY (id);

ALTER TABLE login_flow ADD CONSTRAINT login_flow_poll_hash_check CHECK ((octet_length(poll_hash) = 32));

ALTER TABLE login_flow ADD CONSTRAINT login_flow_strength_check CHECK ((strength = ANY (ARRAY['one_factor'::text, 'two_factors'::text])));

ALTER TABLE mail_lookup ADD CONSTRAINT mail_lookup_check CHECK (((state = 'found'::text) = (cloud_id IS NOT NULL)));

ALTER TABLE mail_lookup ADD CONSTRAINT mail_lookup_cloud_id_check CHECK (((octet_length(cloud_id) >= 1) AND (octet_length(cloud_id) <= 2048)));

ALTER TABLE mail_lookup ADD CONSTRAINT mail_lookup_mail_check CHECK (((octet_length(mail) >= 3) AND (octet_length(mail) <= 1024)));

ALTER TABLE mail_lookup ADD CONSTRAINT mail_lookup_mail_key UNIQUE (mail);

ALTER TABLE mail_lookup ADD CONSTRAINT mail_lookup_pkey PRIMARY KEY (id);

ALTER TABLE mail_lookup ADD CONSTRAINT mail_lookup_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'found'::text, 'none'::text, 'failed'::text])));

ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_address_check CHECK ((char_length(address) <= 254));

ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_note_check CHECK ((char_length(note) <= 4000));

ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_pkey PRIMARY KEY (id);

ALTER TABLE node ADD CONSTRAINT node_check1 CHECK (((parent_id IS NULL) = (strpos(path, '/'::text) = 0)));

ALTER TABLE node ADD CONSTRAINT node_content CHECK (
CASE
    WHEN (received_share_id IS NULL) THEN ((kind = 'file'::text) = (blob_key IS NOT NULL))
    ELSE (blob_key IS NULL)
END);

ALTER TABLE node ADD CONSTRAINT node_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'folder'::text])));

ALTER TABLE node ADD CONSTRAINT node_name_check CHECK ((octet_length(name) <= 255));

ALTER TABLE node ADD CONSTRAINT node_path_check CHECK ((octet_length(path) <=
CASE
    WHEN starts_with(path, '~'::text) THEN 4024
    ELSE 4000
END));

ALTER TABLE node ADD CONSTRAINT node_pkey PRIMARY KEY (id);

ALTER TABLE node ADD CONSTRAINT node_size_check CHECK ((size >= 0));

ALTER TABLE node_lock ADD CONSTRAINT node_lock_check CHECK (((uid IS NULL) <> (share_id IS NULL)));

ALTER TABLE node_lock ADD CONSTRAINT node_lock_check1 CHECK (((kind = 'token'::text) OR ((uid IS NOT NULL) AND is_exclusive AND (NOT is_deep))));

ALTER TABLE node_lock ADD CONSTRAINT node_lock_kind_check CHECK ((kind = ANY (ARRAY['token'::text, 'user'::text])));

ALTER TABLE node_lock ADD CONSTRAINT node_lock_owner_xml_check CHECK ((octet_length(owner_xml) <= 4096));

ALTER TABLE node_lock ADD CONSTRAINT node_lock_pkey PRIMARY KEY (id);

ALTER TABLE node_lock ADD CONSTRAINT node_lock_timeout_seconds_check CHECK ((timeout_seconds > 0));

ALTER TABLE notification ADD CONSTRAINT notification_pkey PRIMARY KEY (id);

ALTER TABLE notification_mail ADD CONSTRAINT notification_mail_message_check CHECK ((char_length(message) <= 4000));

ALTER TABLE notification_mail ADD CONSTRAINT notification_mail_pkey PRIMARY KEY (id);

ALTER TABLE notification_mail ADD CONSTRAINT notification_mail_subject_check CHECK ((char_length(subject) <= 2000));

ALTER TABLE offer_block ADD CONSTRAINT offer_block_host_key_check CHECK (((octet_length(host_key) >= 1) AND (octet_length(host_key) <= 1024)));

ALTER TABLE offer_block ADD CONSTRAINT offer_block_person_check CHECK ((octet_length(person) <= 2048));

ALTER TABLE offer_block ADD CONSTRAINT offer_block_pkey PRIMARY KEY (id);

ALTER TABLE offer_block ADD CONSTRAINT offer_block_uid_host_key_person_key UNIQUE (uid, host_key, person);

ALTER TABLE offer_report ADD CONSTRAINT offer_report_pkey PRIMARY KEY (id);

ALTER TABLE offer_report ADD CONSTRAINT offer_report_reason_check CHECK ((octet_length(reason) <= 4000));

ALTER TABLE operation_sample ADD CONSTRAINT operation_sample_pkey PRIMARY KEY (at);

ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_dedupe_key_key UNIQUE (dedupe_key);

ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_origin_check CHECK ((octet_length(origin) <= 128));

ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_pkey PRIMARY KEY (id);

ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'queued'::text, 'inflight'::text, 'delivered'::text, 'not-sent'::text, 'refused'::text, 'dead'::text, 'cancelled'::text, 'superseded'::text]))) NOT VALID;

ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_subject_type_check CHECK ((subject_type = ANY (ARRAY['share'::text, 'received-share'::text, 'reshare'::text, 'share-request'::text])));

ALTER TABLE partner_address_book ADD CONSTRAINT partner_address_book_pkey PRIMARY KEY (peer_id);

ALTER TABLE partner_address_card ADD CONSTRAINT partner_address_card_canonical_check CHECK (((octet_length(canonical) >= 1) AND (octet_length(canonical) <= 2048)));

ALTER TABLE partner_address_card ADD CONSTRAINT partner_address_card_cloud_id_check CHECK (((octet_length(cloud_id) >= 1) AND (octet_length(cloud_id) <= 2048)));

ALTER TABLE partner_address_card ADD CONSTRAINT partner_address_card_name_check CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 1024)));

ALTER TABLE partner_address_card ADD CONSTRAINT partner_address_card_pkey PRIMARY KEY (peer_id, name);

ALTER TABLE partner_keys ADD CONSTRAINT partner_keys_document_keys_check CHECK ((octet_length(document_keys) <= 65536));

ALTER TABLE partner_keys ADD CONSTRAINT partner_keys_jwks_check CHECK ((octet_length(jwks) <= 131072));

ALTER TABLE partner_keys ADD CONSTRAINT partner_keys_pkey PRIMARY KEY (peer_id);

ALTER TABLE partner_rename ADD CONSTRAINT partner_rename_check CHECK (((state = 'renamed'::text) = (moved IS NOT NULL)));

ALTER TABLE partner_rename ADD CONSTRAINT partner_rename_from_host_to_host_key UNIQUE (from_host, to_host);

ALTER TABLE partner_rename ADD CONSTRAINT partner_rename_pkey PRIMARY KEY (id);

ALTER TABLE partner_rename ADD CONSTRAINT partner_rename_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'renamed'::text, 'refused'::text])));

ALTER TABLE passkey ADD CONSTRAINT passkey_credential_id_check CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023)));

ALTER TABLE passkey ADD CONSTRAINT passkey_credential_id_key UNIQUE (credential_id);

ALTER TABLE passkey ADD CONSTRAINT passkey_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64)));

ALTER TABLE passkey ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);

ALTER TABLE passkey ADD CONSTRAINT passkey_public_key_check CHECK ((octet_length(public_key) <= 4096));

ALTER TABLE peer ADD CONSTRAINT peer_concurrency_check CHECK (((concurrency >= 1) AND (concurrency <= 1000)));

ALTER TABLE peer ADD CONSTRAINT peer_host_key_check CHECK (((octet_length(host_key) >= 1) AND (octet_length(host_key) <= 512)));

ALTER TABLE peer ADD CONSTRAINT peer_host_key_key UNIQUE (host_key);

ALTER TABLE peer ADD CONSTRAINT peer_outgoing_trust_check CHECK ((outgoing_trust = ANY (ARRAY['unknown'::text, 'allowed'::text, 'denied'::text, 'invited'::text, 'trusted'::text])));

ALTER TABLE peer ADD CONSTRAINT peer_pkey PRIMARY KEY (id);

ALTER TABLE peer ADD CONSTRAINT peer_rate_burst_check CHECK ((rate_burst >= 1));

ALTER TABLE peer ADD CONSTRAINT peer_rate_per_second_check CHECK ((rate_per_second > (0)::double precision));

ALTER TABLE peer ADD CONSTRAINT peer_sign_by_check CHECK ((sign_by = ANY (ARRAY['cavage'::text, 'rfc9421'::text, 'none'::text])));

ALTER TABLE peer ADD CONSTRAINT peer_signatures_check CHECK ((signatures = ANY (ARRAY['known'::text, 'required'::text, 'checked'::text])));

ALTER TABLE peer ADD CONSTRAINT peer_trust_check CHECK ((trust = ANY (ARRAY['unknown'::text, 'allowed'::text, 'denied'::text, 'invited'::text, 'trusted'::text])));

ALTER TABLE private_value ADD CONSTRAINT private_value_app_check CHECK (((char_length(app) >= 1) AND (char_length(app) <= 255)));

ALTER TABLE private_value ADD CONSTRAINT private_value_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)));

ALTER TABLE private_value ADD CONSTRAINT private_value_pkey PRIMARY KEY (uid, app, key);

ALTER TABLE private_value ADD CONSTRAINT private_value_value_check CHECK ((char_length(value) <= 65536));

ALTER TABLE push_news ADD CONSTRAINT push_news_pkey PRIMARY KEY (written_by, topic, key);

ALTER TABLE quarantined_content ADD CONSTRAINT quarantined_content_path_check CHECK (((octet_length(path) >= 1) AND (octet_length(path) <= 4000)));

ALTER TABLE quarantined_content ADD CONSTRAINT quarantined_content_pkey PRIMARY KEY (id);

ALTER TABLE quarantined_content ADD CONSTRAINT quarantined_content_size_check CHECK ((size > 0));

ALTER TABLE received_share ADD CONSTRAINT received_share_file_target_check CHECK ((octet_length(file_target) <= 4000));

ALTER TABLE received_share ADD CONSTRAINT received_share_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'folder'::text])));

ALTER TABLE received_share ADD CONSTRAINT received_share_name_check CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 255)));

ALTER TABLE received_share ADD CONSTRAINT received_share_permissions_check CHECK (((permissions >= 0) AND (permissions <= 31)));

ALTER TABLE received_share ADD CONSTRAINT received_share_pkey PRIMARY KEY (id);

ALTER TABLE received_share ADD CONSTRAINT received_share_provider_id_check CHECK (((octet_length(provider_id) >= 1) AND (octet_length(provider_id) <= 512)));

ALTER TABLE received_share ADD CONSTRAINT received_share_size_check CHECK ((size >= 0));

ALTER TABLE received_share ADD CONSTRAINT received_share_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'gone'::text, 'quarantined'::text])));

ALTER TABLE recovery_code ADD CONSTRAINT recovery_code_code_hash_check CHECK ((octet_length(code_hash) = 32));

ALTER TABLE recovery_code ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (code_hash);

ALTER TABLE schema_function ADD CONSTRAINT schema_function_pkey PRIMARY KEY (subject);

ALTER TABLE schema_migration ADD CONSTRAINT "PK_0edff5015b71cc0389ae0f4b9a1" PRIMARY KEY (id);

ALTER TABLE scim_client ADD CONSTRAINT scim_client_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64)));

ALTER TABLE scim_client ADD CONSTRAINT scim_client_name_key UNIQUE (name);

ALTER TABLE scim_client ADD CONSTRAINT scim_client_pkey PRIMARY KEY (id);

ALTER TABLE scim_client ADD CONSTRAINT scim_client_secret_hash_check CHECK ((octet_length(secret_hash) = 32));

ALTER TABLE scim_client ADD CONSTRAINT scim_client_secret_key UNIQUE (secret_hash);

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_external_id_check CHECK ((char_length(external_id) <= 256));

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_id_key UNIQUE (id);

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_kind_check CHECK ((((kind = 'User'::text) AND (uid IS NOT NULL) AND (gid IS NULL)) OR ((kind = 'Group'::text) AND (gid IS NOT NULL) AND (uid IS NULL))));

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 256)));

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_person_name_check CHECK ((octet_length((person_name)::text) <= 4096));

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_pkey PRIMARY KEY (seq);

ALTER TABLE seen_signature ADD CONSTRAINT seen_signature_hash_check CHECK ((octet_length(hash) = 32));

ALTER TABLE seen_signature ADD CONSTRAINT seen_signature_pkey PRIMARY KEY (hash);

ALTER TABLE sent_share_request ADD CONSTRAINT sent_share_request_owner_check CHECK (((octet_length(owner) >= 3) AND (octet_length(owner) <= 1300)));

ALTER TABLE sent_share_request ADD CONSTRAINT sent_share_request_pkey PRIMARY KEY (id);

ALTER TABLE sent_share_request ADD CONSTRAINT sent_share_request_resource_check CHECK (((octet_length(resource) >= 1) AND (octet_length(resource) <= 1000)));

ALTER TABLE sent_share_request ADD CONSTRAINT sent_share_request_uid_owner_resource_key UNIQUE (uid, owner, resource);

ALTER TABLE setting ADD CONSTRAINT setting_pkey PRIMARY KEY (app, key);

ALTER TABLE share ADD CONSTRAINT share_acceptance_check CHECK ((acceptance = ANY (ARRAY['unknown'::text, 'accepted'::text, 'declined'::text, 'left'::text])));

ALTER TABLE share ADD CONSTRAINT share_acceptance_source_check CHECK ((acceptance_source = ANY (ARRAY['notification'::text, 'access'::text, 'auto'::text])));

ALTER TABLE share ADD CONSTRAINT share_decline_reason_check CHECK ((char_length(decline_reason) <= 500));

ALTER TABLE share ADD CONSTRAINT share_delivery_state_check CHECK ((delivery_state = ANY (ARRAY['pending'::text, 'delivered'::text, 'not-sent'::text, 'refused'::text, 'retrying'::text, 'dead'::text, 'revoking'::text, 'revoked'::text]))) NOT VALID;

ALTER TABLE share ADD CONSTRAINT share_federated_side CHECK (((share_type = 6) = ((delivery_state IS NOT NULL) AND (acceptance IS NOT NULL))));

ALTER TABLE share ADD CONSTRAINT share_granted_id_check CHECK (((octet_length(granted_id) >= 1) AND (octet_length(granted_id) <= 512)));

ALTER TABLE share ADD CONSTRAINT share_granted_side CHECK ((COALESCE((via_owner = 'granted'::text), false) = ((granted_id IS NOT NULL) AND (granted_token_hmac IS NOT NULL) AND (granted_token_enc IS NOT NULL))));

ALTER TABLE share ADD CONSTRAINT share_initial_state_check CHECK ((initial_state = ANY (ARRAY[0, 1, 2])));

ALTER TABLE share ADD CONSTRAINT share_name_check CHECK ((octet_length(name) <= 256));

ALTER TABLE share ADD CONSTRAINT share_permissions_check CHECK (((permissions >= 0) AND (permissions <= 31)));

ALTER TABLE share ADD CONSTRAINT share_pkey PRIMARY KEY (id);

ALTER TABLE share ADD CONSTRAINT share_requester_share_id_check CHECK ((octet_length(requester_share_id) <= 512));

ALTER TABLE share ADD CONSTRAINT share_share_type_check CHECK ((share_type = ANY (ARRAY[0, 1, 3, 6])));

ALTER TABLE share ADD CONSTRAINT share_via_owner_check CHECK ((via_owner = ANY (ARRAY['asked'::text, 'granted'::text])));

ALTER TABLE share ADD CONSTRAINT share_via_owner_side CHECK ((((via_owner IS NOT NULL) = ((received_share_id IS NOT NULL) AND (remote_owner IS NOT NULL))) AND ((via_owner IS NULL) OR (share_type = 6))));

ALTER TABLE share_event ADD CONSTRAINT share_event_pkey PRIMARY KEY (id);

ALTER TABLE share_event ADD CONSTRAINT share_event_subject_type_check CHECK ((subject_type = ANY (ARRAY['share'::text, 'received-share'::text])));

ALTER TABLE share_notice_dismissed ADD CONSTRAINT share_notice_dismissed_pkey PRIMARY KEY (uid, share_id);

ALTER TABLE share_recipient ADD CONSTRAINT share_recipient_file_target_check CHECK ((octet_length(file_target) <= 4000));

ALTER TABLE share_recipient ADD CONSTRAINT share_recipient_pkey PRIMARY KEY (share_id, uid);

ALTER TABLE share_recipient ADD CONSTRAINT share_recipient_state_check CHECK ((state = ANY (ARRAY[0, 1, 2])));

ALTER TABLE signing_key ADD CONSTRAINT signing_key_algorithm_check CHECK ((algorithm = ANY (ARRAY['rsa-sha512'::text, 'ecdsa-p256-sha256'::text, 'ed25519'::text])));

ALTER TABLE signing_key ADD CONSTRAINT signing_key_pkey PRIMARY KEY (id);

ALTER TABLE storage ADD CONSTRAINT storage_key_key UNIQUE (key);

ALTER TABLE storage ADD CONSTRAINT storage_pkey PRIMARY KEY (id);

ALTER TABLE storage ADD CONSTRAINT storage_received_share_id_key UNIQUE (received_share_id);

ALTER TABLE stored_write ADD CONSTRAINT stored_write_pkey PRIMARY KEY (id);

ALTER TABLE stored_write ADD CONSTRAINT stored_write_size_check CHECK ((size >= 0));

ALTER TABLE throttle ADD CONSTRAINT throttle_pkey PRIMARY KEY (bucket);

ALTER TABLE totp ADD CONSTRAINT totp_pkey PRIMARY KEY (uid);

ALTER TABLE trashed_node ADD CONSTRAINT trashed_node_pkey PRIMARY KEY (node_id);

ALTER TABLE trashed_offer ADD CONSTRAINT trashed_offer_pkey PRIMARY KEY (id);

ALTER TABLE trusted_handshake ADD CONSTRAINT trusted_handshake_check CHECK (((state <> 'done'::text) OR (secret_hmac IS NOT NULL)));

ALTER TABLE trusted_handshake ADD CONSTRAINT trusted_handshake_pkey PRIMARY KEY (peer_id);

ALTER TABLE trusted_handshake ADD CONSTRAINT trusted_handshake_state_check CHECK ((state = ANY (ARRAY['asking'::text, 'asked'::text, 'declined'::text, 'fetching'::text, 'done'::text, 'failed'::text])));

ALTER TABLE unfinished_copy ADD CONSTRAINT unfinished_copy_pkey PRIMARY KEY (name);

ALTER TABLE upload ADD CONSTRAINT upload_check CHECK (((uid IS NULL) <> (share_id IS NULL)));

ALTER TABLE upload ADD CONSTRAINT upload_kind_check CHECK ((kind = ANY (ARRAY['chunks'::text, 'named-chunks'::text, 'tus'::text, 'tus-partial'::text])));

ALTER TABLE upload ADD CONSTRAINT upload_name_check CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 255)));

ALTER TABLE upload ADD CONSTRAINT upload_pkey PRIMARY KEY (id);

ALTER TABLE upload ADD CONSTRAINT upload_received_bytes_check CHECK ((received_bytes >= 0));

ALTER TABLE upload ADD CONSTRAINT upload_replaces_bytes_check CHECK ((replaces_bytes >= 0));

ALTER TABLE upload ADD CONSTRAINT upload_target_check CHECK ((octet_length(target) <= 4000));

ALTER TABLE upload ADD CONSTRAINT upload_total_size_check CHECK ((total_size >= 0));

ALTER TABLE upload_part ADD CONSTRAINT upload_part_name_check CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 255)));

ALTER TABLE upload_part ADD CONSTRAINT upload_part_pkey PRIMARY KEY (upload_id, name);

ALTER TABLE upload_part ADD CONSTRAINT upload_part_size_check CHECK ((size >= 0));

ALTER TABLE user_account ADD CONSTRAINT user_account_pkey PRIMARY KEY (uid);

ALTER TABLE user_account ADD CONSTRAINT user_account_quota_bytes_check CHECK ((quota_bytes >= 0));

ALTER TABLE user_account ADD CONSTRAINT user_account_uid_check CHECK (((char_length(uid) >= 1) AND (char_length(uid) <= 64)));

ALTER TABLE user_avatar ADD CONSTRAINT user_avatar_mimetype_check CHECK ((mimetype = ANY (ARRAY['image/jpeg'::text, 'image/png'::text])));

ALTER TABLE user_avatar ADD CONSTRAINT user_avatar_picture_check CHECK ((octet_length(picture) <= 8388608));

ALTER TABLE user_avatar ADD CONSTRAINT user_avatar_pkey PRIMARY KEY (uid, stage);

ALTER TABLE user_avatar ADD CONSTRAINT user_avatar_stage_check CHECK ((stage = ANY (ARRAY['shown'::text, 'draft'::text])));

ALTER TABLE user_group ADD CONSTRAINT user_group_gid_check CHECK (((char_length(gid) >= 1) AND (char_length(gid) <= 64)));

ALTER TABLE user_group ADD CONSTRAINT user_group_pkey PRIMARY KEY (gid);

ALTER TABLE user_preference ADD CONSTRAINT user_preference_pkey PRIMARY KEY (uid, app, key);

ALTER TABLE account_end ADD CONSTRAINT account_end_successor_uid_fkey FOREIGN KEY (successor_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE account_end ADD CONSTRAINT account_end_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE address_card ADD CONSTRAINT address_card_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE SET NULL;

ALTER TABLE app_password ADD CONSTRAINT app_password_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE background_move ADD CONSTRAINT background_move_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE browser_session ADD CONSTRAINT browser_session_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE cached_content ADD CONSTRAINT cached_content_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE SET NULL;

ALTER TABLE contact ADD CONSTRAINT contact_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE contact ADD CONSTRAINT contact_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE content_change ADD CONSTRAINT content_change_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE dead_property ADD CONSTRAINT dead_property_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE delivery_attempt ADD CONSTRAINT delivery_attempt_message_id_fkey FOREIGN KEY (message_id) REFERENCES outbox_message(id) ON DELETE CASCADE;

ALTER TABLE ended_share ADD CONSTRAINT ended_share_initiator_uid_fkey FOREIGN KEY (initiator_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE ended_share ADD CONSTRAINT ended_share_owner_uid_fkey FOREIGN KEY (owner_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE external_group ADD CONSTRAINT external_group_gid_fkey FOREIGN KEY (gid) REFERENCES user_group(gid) ON DELETE CASCADE;

ALTER TABLE external_identity ADD CONSTRAINT external_identity_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE external_membership ADD CONSTRAINT external_membership_gid_uid_fkey FOREIGN KEY (gid, uid) REFERENCES group_member(gid, uid) ON DELETE CASCADE;

ALTER TABLE file_version ADD CONSTRAINT file_version_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_received_share_id_fkey FOREIGN KEY (received_share_id) REFERENCES received_share(id) ON DELETE CASCADE;

ALTER TABLE foreign_link ADD CONSTRAINT foreign_link_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE group_member ADD CONSTRAINT group_member_gid_fkey FOREIGN KEY (gid) REFERENCES user_group(gid) ON DELETE CASCADE;

ALTER TABLE group_member ADD CONSTRAINT group_member_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE group_recipient ADD CONSTRAINT group_recipient_group_share_id_fkey FOREIGN KEY (group_share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE group_recipient ADD CONSTRAINT group_recipient_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE SET NULL;

ALTER TABLE group_remote_member ADD CONSTRAINT group_remote_member_gid_fkey FOREIGN KEY (gid) REFERENCES user_group(gid) ON DELETE CASCADE;

ALTER TABLE group_remote_member ADD CONSTRAINT group_remote_member_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id);

ALTER TABLE group_share_due ADD CONSTRAINT group_share_due_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE group_subadmin ADD CONSTRAINT group_subadmin_gid_fkey FOREIGN KEY (gid) REFERENCES user_group(gid) ON DELETE CASCADE;

ALTER TABLE group_subadmin ADD CONSTRAINT group_subadmin_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE inbox_message ADD CONSTRAINT inbox_message_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE invitation ADD CONSTRAINT invitation_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE invitation_acceptance ADD CONSTRAINT invitation_acceptance_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES contact(id) ON DELETE SET NULL;

ALTER TABLE invitation_acceptance ADD CONSTRAINT invitation_acceptance_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE invitation_acceptance ADD CONSTRAINT invitation_acceptance_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE login_flow ADD CONSTRAINT login_flow_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_recipient_uid_fkey FOREIGN KEY (recipient_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_sender_uid_fkey FOREIGN KEY (sender_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE node ADD CONSTRAINT node_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE node ADD CONSTRAINT node_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES storage(id) ON DELETE CASCADE;

ALTER TABLE node_lock ADD CONSTRAINT node_lock_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE node_lock ADD CONSTRAINT node_lock_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE node_lock ADD CONSTRAINT node_lock_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES storage(id) ON DELETE CASCADE;

ALTER TABLE node_lock ADD CONSTRAINT node_lock_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE notification ADD CONSTRAINT notification_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE notification_mail ADD CONSTRAINT notification_mail_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE offer_block ADD CONSTRAINT offer_block_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE offer_report ADD CONSTRAINT offer_report_reporter_uid_fkey FOREIGN KEY (reporter_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE outbox_message ADD CONSTRAINT outbox_message_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE partner_address_book ADD CONSTRAINT partner_address_book_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE partner_address_card ADD CONSTRAINT partner_address_card_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES partner_address_book(peer_id) ON DELETE CASCADE;

ALTER TABLE partner_keys ADD CONSTRAINT partner_keys_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE partner_rename ADD CONSTRAINT partner_rename_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE passkey ADD CONSTRAINT passkey_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE peer ADD CONSTRAINT peer_alias_of_fkey FOREIGN KEY (alias_of) REFERENCES peer(id) ON DELETE SET NULL;

ALTER TABLE peer ADD CONSTRAINT peer_host_id_fkey FOREIGN KEY (host_id) REFERENCES peer(id);

ALTER TABLE private_value ADD CONSTRAINT private_value_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE quarantined_content ADD CONSTRAINT quarantined_content_owner_uid_fkey FOREIGN KEY (owner_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE received_share ADD CONSTRAINT received_share_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id);

ALTER TABLE received_share ADD CONSTRAINT received_share_recipient_uid_fkey FOREIGN KEY (recipient_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE recovery_code ADD CONSTRAINT recovery_code_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_client_id_fkey FOREIGN KEY (client_id) REFERENCES scim_client(id) ON DELETE CASCADE;

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_gid_fkey FOREIGN KEY (gid) REFERENCES user_group(gid) ON DELETE CASCADE;

ALTER TABLE scim_resource ADD CONSTRAINT scim_resource_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE sent_share_request ADD CONSTRAINT sent_share_request_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE share ADD CONSTRAINT share_group_share_id_fkey FOREIGN KEY (group_share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE share ADD CONSTRAINT share_initiator_uid_fkey FOREIGN KEY (initiator_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE share ADD CONSTRAINT share_link_id_fkey FOREIGN KEY (link_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE share ADD CONSTRAINT share_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE share ADD CONSTRAINT share_owner_uid_fkey FOREIGN KEY (owner_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE share ADD CONSTRAINT share_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id);

ALTER TABLE share ADD CONSTRAINT share_recipient_peer_id_fkey FOREIGN KEY (recipient_peer_id) REFERENCES peer(id) ON DELETE SET NULL;

ALTER TABLE share ADD CONSTRAINT share_requester_peer_id_fkey FOREIGN KEY (requester_peer_id) REFERENCES peer(id) ON DELETE SET NULL;

ALTER TABLE share_notice_dismissed ADD CONSTRAINT share_notice_dismissed_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE share_notice_dismissed ADD CONSTRAINT share_notice_dismissed_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE share_recipient ADD CONSTRAINT share_recipient_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE share_recipient ADD CONSTRAINT share_recipient_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE storage ADD CONSTRAINT storage_owner_uid_fkey FOREIGN KEY (owner_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE storage ADD CONSTRAINT storage_received_share_id_fkey FOREIGN KEY (received_share_id) REFERENCES received_share(id) ON DELETE CASCADE;

ALTER TABLE stored_write ADD CONSTRAINT stored_write_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE SET NULL;

ALTER TABLE stored_write ADD CONSTRAINT stored_write_writer_uid_fkey FOREIGN KEY (writer_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE totp ADD CONSTRAINT totp_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE trashed_node ADD CONSTRAINT trashed_node_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE trashed_node ADD CONSTRAINT trashed_node_owner_uid_fkey FOREIGN KEY (owner_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE trashed_offer ADD CONSTRAINT trashed_offer_initiator_uid_fkey FOREIGN KEY (initiator_uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE trashed_offer ADD CONSTRAINT trashed_offer_link_id_fkey FOREIGN KEY (link_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE trashed_offer ADD CONSTRAINT trashed_offer_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE;

ALTER TABLE trusted_handshake ADD CONSTRAINT trusted_handshake_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES peer(id) ON DELETE CASCADE;

ALTER TABLE unfinished_copy ADD CONSTRAINT unfinished_copy_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES storage(id) ON DELETE CASCADE;

ALTER TABLE upload ADD CONSTRAINT upload_share_id_fkey FOREIGN KEY (share_id) REFERENCES share(id) ON DELETE CASCADE;

ALTER TABLE upload ADD CONSTRAINT upload_storage_id_fkey FOREIGN KEY (storage_id) REFERENCES storage(id) ON DELETE CASCADE;

ALTER TABLE upload ADD CONSTRAINT upload_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE upload_part ADD CONSTRAINT upload_part_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES upload(id) ON DELETE CASCADE;

ALTER TABLE user_avatar ADD CONSTRAINT user_avatar_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

ALTER TABLE user_preference ADD CONSTRAINT user_preference_uid_fkey FOREIGN KEY (uid) REFERENCES user_account(uid) ON DELETE CASCADE;

CREATE INDEX account_end_by_successor ON public.account_end USING btree (successor_uid) WHERE (successor_uid IS NOT NULL);

CREATE UNIQUE INDEX address_card_by_revision ON public.address_card USING btree (revision);

CREATE INDEX app_password_by_account ON public.app_password USING btree (uid, id);

CREATE UNIQUE INDEX app_password_secret ON public.app_password USING btree (secret_hash);

CREATE INDEX audit_event_at ON public.audit_event USING btree (at);

CREATE INDEX audit_event_by_account ON public.audit_event USING btree (lower(object_id), id) WHERE (object_type = 'account'::text);

CREATE INDEX audit_event_by_actor ON public.audit_event USING btree (lower(actor), id) WHERE (actor IS NOT NULL);

CREATE INDEX audit_event_by_object ON public.audit_event USING btree (object_type, object_id, id);

CREATE UNIQUE INDEX audit_event_window ON public.audit_event USING btree (window_key) WHERE (window_key IS NOT NULL);

CREATE INDEX background_move_by_sight ON public.background_move USING btree (seen_at);

CREATE INDEX background_move_of_user ON public.background_move USING btree (uid);

CREATE INDEX browser_session_by_account ON public.browser_session USING btree (uid);

CREATE INDEX browser_session_by_issuer_session ON public.browser_session USING btree (issuer_session) WHERE (issuer_session IS NOT NULL);

CREATE INDEX browser_session_end ON public.browser_session USING btree (ends_at);

CREATE UNIQUE INDEX browser_session_secret ON public.browser_session USING btree (secret_hash);

CREATE UNIQUE INDEX cached_content_by_blob ON public.cached_content USING btree (blob_key);

CREATE INDEX cached_content_by_time ON public.cached_content USING btree (checked_at);

CREATE UNIQUE INDEX cached_content_of_node ON public.cached_content USING btree (node_id);

CREATE INDEX contact_by_peer ON public.contact USING btree (peer_id);

CREATE INDEX content_change_untold ON public.content_change USING btree (changed_at) WHERE (told_revision < revision);

CREATE INDEX dead_property_favorites ON public.dead_property USING btree (name, node_id) WHERE (namespace = 'urn:drawbridge:favorite'::text);

CREATE INDEX ended_share_age ON public.ended_share USING btree (ended_at);

CREATE INDEX ended_share_by_initiator ON public.ended_share USING btree (initiator_uid);

CREATE INDEX ended_share_by_owner ON public.ended_share USING btree (owner_uid);

CREATE INDEX external_group_by_group ON public.external_group USING btree (gid);

CREATE UNIQUE INDEX external_identity_by_account ON public.external_identity USING btree (uid, kind, source);

CREATE INDEX external_membership_by_account ON public.external_membership USING btree (uid, kind, source);

CREATE UNIQUE INDEX file_version_by_blob ON public.file_version USING btree (blob_key);

CREATE INDEX file_version_by_node ON public.file_version USING btree (node_id, id);

CREATE INDEX foreign_link_age ON public.foreign_link USING btree (created_at) WHERE (state <> 'saved'::text);

CREATE INDEX foreign_link_by_share ON public.foreign_link USING btree (received_share_id) WHERE (received_share_id IS NOT NULL);

CREATE INDEX group_member_by_user ON public.group_member USING btree (uid, gid);

CREATE UNIQUE INDEX group_recipient_by_share ON public.group_recipient USING btree (share_id) WHERE (share_id IS NOT NULL);

CREATE INDEX group_remote_member_by_peer ON public.group_remote_member USING btree (peer_id);

CREATE INDEX group_share_due_at ON public.group_share_due USING btree (due_at);

CREATE INDEX group_subadmin_by_user ON public.group_subadmin USING btree (uid, gid);

CREATE INDEX inbox_message_age ON public.inbox_message USING btree (received_at);

CREATE INDEX inbox_message_by_hash ON public.inbox_message USING btree (dedupe_hash);

CREATE INDEX invitation_acceptance_age ON public.invitation_acceptance USING btree (created_at);

CREATE INDEX invitation_age ON public.invitation USING btree (expires_at);

CREATE INDEX invitation_by_user ON public.invitation USING btree (uid, id);

CREATE INDEX invitation_to_mail ON public.invitation USING btree (mail_at) WHERE (mail_at IS NOT NULL);

CREATE INDEX login_flow_by_account ON public.login_flow USING btree (uid) WHERE (uid IS NOT NULL);

CREATE INDEX login_flow_end ON public.login_flow USING btree (expires_at);

CREATE UNIQUE INDEX login_flow_login ON public.login_flow USING btree (login_hash);

CREATE UNIQUE INDEX login_flow_poll ON public.login_flow USING btree (poll_hash);

CREATE INDEX mail_lookup_expiry ON public.mail_lookup USING btree (expires_at);

CREATE INDEX mail_outbox_by_recipient ON public.mail_outbox USING btree (recipient_uid) WHERE (recipient_uid IS NOT NULL);

CREATE INDEX mail_outbox_by_sender ON public.mail_outbox USING btree (sender_uid);

CREATE INDEX mail_outbox_due ON public.mail_outbox USING btree (next_attempt_at) WHERE (sent_at IS NULL);

CREATE UNIQUE INDEX mail_outbox_once ON public.mail_outbox USING btree (share_id, lower(address));

CREATE UNIQUE INDEX node_by_blob ON public.node USING btree (blob_key) WHERE (blob_key IS NOT NULL);

CREATE UNIQUE INDEX node_by_parent ON public.node USING btree (parent_id, name);

CREATE UNIQUE INDEX node_by_path ON public.node USING btree (storage_id, path_hash);

CREATE INDEX node_lock_by_end ON public.node_lock USING btree (expires_at);

CREATE INDEX node_lock_by_node ON public.node_lock USING btree (node_id);

CREATE INDEX node_lock_by_share ON public.node_lock USING btree (share_id) WHERE (share_id IS NOT NULL);

CREATE INDEX node_lock_by_storage ON public.node_lock USING btree (storage_id);

CREATE UNIQUE INDEX node_lock_by_token ON public.node_lock USING btree (token);

CREATE INDEX node_lock_by_user ON public.node_lock USING btree (uid) WHERE (uid IS NOT NULL);

CREATE UNIQUE INDEX node_of_received_share ON public.node USING btree (received_share_id) WHERE ((received_share_id IS NOT NULL) AND (parent_id IS NULL));

CREATE INDEX notification_mail_by_account ON public.notification_mail USING btree (uid);

CREATE INDEX notification_mail_due ON public.notification_mail USING btree (next_attempt_at);

CREATE UNIQUE INDEX notification_once ON public.notification USING btree (uid, app, object_type, object_id);

CREATE INDEX offer_report_by_reporter ON public.offer_report USING btree (reporter_uid);

CREATE INDEX outbox_message_by_subject ON public.outbox_message USING btree (subject_type, subject_id, id);

CREATE INDEX outbox_message_due ON public.outbox_message USING btree (peer_id, available_at, id) WHERE (state = 'pending'::text);

CREATE INDEX outbox_message_finished ON public.outbox_message USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX outbox_message_given_up ON public.outbox_message USING btree (peer_id, id) WHERE (state = ANY (ARRAY['dead'::text, 'refused'::text, 'cancelled'::text]));

CREATE INDEX outbox_message_under_way ON public.outbox_message USING btree (peer_id, lease_until) WHERE (state = ANY (ARRAY['queued'::text, 'inflight'::text]));

CREATE INDEX partner_address_card_search ON public.partner_address_card USING gin (search_trigrams(search_text));

CREATE INDEX partner_rename_by_account ON public.partner_rename USING btree (uid);

CREATE INDEX passkey_by_account ON public.passkey USING btree (uid);

CREATE INDEX peer_by_host ON public.peer USING btree (host_id);

CREATE INDEX peer_renamed ON public.peer USING btree (alias_of) WHERE (alias_of IS NOT NULL);

CREATE INDEX peer_trusted ON public.peer USING btree (id) WHERE (trust = 'trusted'::text);

CREATE UNIQUE INDEX quarantined_content_by_blob ON public.quarantined_content USING btree (blob_key);

CREATE INDEX quarantined_content_by_time ON public.quarantined_content USING btree (kept_at);

CREATE INDEX quarantined_content_of_owner ON public.quarantined_content USING btree (owner_uid);

CREATE INDEX received_share_below ON public.received_share USING btree (recipient_uid, file_target) WHERE (state = ANY (ARRAY['accepted'::text, 'quarantined'::text]));

CREATE INDEX received_share_by_expiry ON public.received_share USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX received_share_by_folder ON public.received_share USING btree (recipient_uid, folder_hash) WHERE (state = ANY (ARRAY['accepted'::text, 'quarantined'::text]));

CREATE INDEX received_share_by_provider_id ON public.received_share USING btree (provider_id, peer_id);

CREATE INDEX received_share_by_recipient ON public.received_share USING btree (recipient_uid, state, id);

CREATE INDEX received_share_by_secret ON public.received_share USING btree (token_hmac, provider_id);

CREATE INDEX received_share_by_target ON public.received_share USING btree (recipient_uid, target_hash) WHERE (state = ANY (ARRAY['accepted'::text, 'quarantined'::text]));

CREATE INDEX received_share_gone ON public.received_share USING btree (gone_at) WHERE (state = 'gone'::text);

CREATE INDEX received_share_in_use ON public.received_share USING btree (peer_id, used_at) WHERE (used_at IS NOT NULL);

CREATE UNIQUE INDEX received_share_once ON public.received_share USING btree (peer_id, provider_id, token_hmac, recipient_uid);

CREATE INDEX received_share_shut ON public.received_share USING btree (peer_id) WHERE (content_shut_until IS NOT NULL);

CREATE INDEX received_share_to_look ON public.received_share USING btree (peer_id, look_at) WHERE (look_at IS NOT NULL);

CREATE INDEX received_share_unplaced ON public.received_share USING btree (recipient_uid) WHERE ((state = ANY (ARRAY['accepted'::text, 'quarantined'::text])) AND (file_target IS NULL));

CREATE INDEX recovery_code_by_account ON public.recovery_code USING btree (uid);

CREATE INDEX scim_resource_by_external_id ON public.scim_resource USING btree (client_id, kind, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX scim_resource_by_name ON public.scim_resource USING btree (client_id, kind, folded_name);

CREATE INDEX scim_resource_in_order ON public.scim_resource USING btree (client_id, kind, seq) WHERE (ended_at IS NULL);

CREATE UNIQUE INDEX scim_resource_of_account ON public.scim_resource USING btree (uid) WHERE (uid IS NOT NULL);

CREATE UNIQUE INDEX scim_resource_of_group ON public.scim_resource USING btree (gid) WHERE (gid IS NOT NULL);

CREATE INDEX seen_signature_age ON public.seen_signature USING btree (until);

CREATE INDEX sent_share_request_by_time ON public.sent_share_request USING btree (created_at);

CREATE INDEX share_by_expiry ON public.share USING btree (expires_on) WHERE (expires_on IS NOT NULL);

CREATE INDEX share_by_group_share ON public.share USING btree (group_share_id, id) WHERE (group_share_id IS NOT NULL);

CREATE INDEX share_by_initiator ON public.share USING btree (initiator_uid, share_type, id);

CREATE INDEX share_by_link ON public.share USING btree (link_id) WHERE (link_id IS NOT NULL);

CREATE INDEX share_by_node ON public.share USING btree (node_id, id);

CREATE INDEX share_by_owner ON public.share USING btree (owner_uid, share_type, id);

CREATE INDEX share_by_peer ON public.share USING btree (peer_id, id) WHERE (peer_id IS NOT NULL);

CREATE INDEX share_by_recipient ON public.share USING btree (recipient_canonical, share_type, id) WHERE (share_type = ANY (ARRAY[0, 1]));

CREATE UNIQUE INDEX share_by_token ON public.share USING btree (token_hmac) WHERE (token_hmac IS NOT NULL);

CREATE INDEX share_doubted ON public.share USING btree (doubted_at) WHERE (doubted_at IS NOT NULL);

CREATE INDEX share_event_by_subject ON public.share_event USING btree (subject_id, subject_type);

CREATE INDEX share_group_pending ON public.share USING btree (recipient_canonical, id) WHERE ((share_type = 1) AND (initial_state = 1));

CREATE INDEX share_notice_dismissed_by_share ON public.share_notice_dismissed USING btree (share_id);

CREATE UNIQUE INDEX share_once ON public.share USING btree (node_id, share_type, recipient_canonical) WHERE (share_type = ANY (ARRAY[0, 1, 6]));

CREATE INDEX share_passed_on ON public.share USING btree (owner_uid, initiator_uid) WHERE (initiator_uid <> owner_uid);

CREATE INDEX share_recipient_below ON public.share_recipient USING btree (uid, file_target) WHERE (state = 0);

CREATE INDEX share_recipient_by_folder ON public.share_recipient USING btree (uid, folder_hash) WHERE (state = 0);

CREATE INDEX share_recipient_by_target ON public.share_recipient USING btree (uid, target_hash) WHERE (state = 0);

CREATE INDEX share_recipient_by_user ON public.share_recipient USING btree (uid, state, share_id);

CREATE INDEX share_recipient_unplaced ON public.share_recipient USING btree (uid) WHERE ((state = 0) AND (file_target IS NULL));

CREATE INDEX share_undelivered ON public.share USING btree (delivery_state, id) WHERE (delivery_state <> 'delivered'::text);

CREATE UNIQUE INDEX signing_key_current ON public.signing_key USING btree (algorithm) WHERE (retired_at IS NULL);

CREATE UNIQUE INDEX storage_by_owner ON public.storage USING btree (owner_uid) WHERE (received_share_id IS NULL);

CREATE INDEX storage_of_owner ON public.storage USING btree (owner_uid);

CREATE UNIQUE INDEX stored_write_by_blob ON public.stored_write USING btree (blob_key);

CREATE INDEX stored_write_due ON public.stored_write USING btree (due_at);

CREATE INDEX stored_write_of_node ON public.stored_write USING btree (node_id);

CREATE INDEX stored_write_of_peer ON public.stored_write USING btree (peer_id);

CREATE INDEX stored_write_of_share ON public.stored_write USING btree (received_share_id);

CREATE INDEX stored_write_of_writer ON public.stored_write USING btree (writer_uid);

CREATE INDEX throttle_window ON public.throttle USING btree (window_ends_at);

CREATE INDEX trashed_node_by_time ON public.trashed_node USING btree (owner_uid, deleted_at, node_id);

CREATE INDEX trashed_node_oldest ON public.trashed_node USING btree (deleted_at, node_id);

CREATE UNIQUE INDEX trashed_node_once ON public.trashed_node USING btree (owner_uid, name, deleted_at);

CREATE INDEX trashed_offer_by_initiator ON public.trashed_offer USING btree (initiator_uid);

CREATE INDEX trashed_offer_by_link ON public.trashed_offer USING btree (link_id) WHERE (link_id IS NOT NULL);

CREATE INDEX trashed_offer_by_node ON public.trashed_offer USING btree (node_id);

CREATE INDEX trusted_handshake_by_secret ON public.trusted_handshake USING btree (secret_hmac) WHERE (secret_hmac IS NOT NULL);

CREATE INDEX trusted_handshake_due ON public.trusted_handshake USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX unfinished_copy_by_sight ON public.unfinished_copy USING btree (seen_at);

CREATE INDEX unfinished_copy_by_storage ON public.unfinished_copy USING btree (storage_id);

CREATE INDEX upload_by_storage ON public.upload USING btree (storage_id);

CREATE INDEX upload_by_touch ON public.upload USING btree (touched_at);

CREATE UNIQUE INDEX upload_of_share ON public.upload USING btree (share_id, name) WHERE (share_id IS NOT NULL);

CREATE UNIQUE INDEX upload_of_user ON public.upload USING btree (uid, name) WHERE (uid IS NOT NULL);

CREATE UNIQUE INDEX upload_part_by_blob ON public.upload_part USING btree (blob_key);

CREATE INDEX user_account_by_name ON public.user_account USING btree (lower(display_name), uid);

CREATE INDEX user_account_email_folded ON public.user_account USING btree (lower(email)) WHERE (email IS NOT NULL);

CREATE INDEX user_account_search ON public.user_account USING gin (search_trigrams(search_text));

CREATE UNIQUE INDEX user_account_uid_folded ON public.user_account USING btree (lower(uid));

CREATE INDEX user_avatar_drafts ON public.user_avatar USING btree (saved_at) WHERE (stage = 'draft'::text);

CREATE INDEX user_group_by_name ON public.user_group USING btree (search_text, gid);

CREATE INDEX user_group_search ON public.user_group USING gin (search_trigrams(search_text));

ALTER TABLE audit_event SET (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

ALTER TABLE delivery_attempt SET (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

ALTER TABLE node SET (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

ALTER TABLE outbox_message SET (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

ALTER TABLE push_news SET (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=10000);

ALTER TABLE received_share SET (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

CREATE TRIGGER account_end_audited AFTER INSERT OR DELETE ON public.account_end FOR EACH ROW EXECUTE FUNCTION audit_account_end();

CREATE TRIGGER account_end_begin_audited AFTER UPDATE OF began_at ON public.account_end FOR EACH ROW WHEN ((new.began_at IS DISTINCT FROM old.began_at)) EXECUTE FUNCTION audit_account_end();

CREATE TRIGGER app_password_audited AFTER INSERT OR DELETE ON public.app_password FOR EACH ROW EXECUTE FUNCTION audit_app_password();

CREATE TRIGGER app_password_change_audited AFTER UPDATE OF secret_hash, name, scopes, read_only, expires_at ON public.app_password FOR EACH ROW EXECUTE FUNCTION audit_app_password();

CREATE TRIGGER app_password_changed AFTER DELETE OR UPDATE OF secret_hash, scopes, read_only, expires_at ON public.app_password FOR EACH ROW EXECUTE FUNCTION announce_app_password();

CREATE TRIGGER audit_event_kept BEFORE UPDATE ON public.audit_event FOR EACH ROW EXECUTE FUNCTION keep_audit_event();

CREATE TRIGGER audit_event_not_emptied BEFORE TRUNCATE ON public.audit_event FOR EACH STATEMENT EXECUTE FUNCTION keep_all_audit_events();

CREATE TRIGGER audit_event_young_kept AFTER DELETE ON public.audit_event REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_young_audit_events();

CREATE TRIGGER browser_session_ended AFTER DELETE ON public.browser_session FOR EACH ROW EXECUTE FUNCTION announce_change('session', 'id');

CREATE TRIGGER capability_entry_changed AFTER INSERT OR DELETE OR UPDATE ON public.capability_entry FOR EACH ROW EXECUTE FUNCTION announce_change('capability', 'app');

CREATE TRIGGER contact_end_audited AFTER DELETE ON public.contact FOR EACH ROW EXECUTE FUNCTION audit_contact_end();

CREATE TRIGGER external_identity_audited AFTER INSERT OR DELETE ON public.external_identity FOR EACH ROW EXECUTE FUNCTION audit_external_identity();

CREATE TRIGGER external_identity_changed AFTER INSERT OR DELETE OR UPDATE OF uid, managed_fields, signed_out_at ON public.external_identity FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');

CREATE TRIGGER foreign_link_audited AFTER UPDATE OF state ON public.foreign_link FOR EACH ROW WHEN (((new.state <> old.state) AND (new.state = ANY (ARRAY['saved'::text, 'refused'::text])))) EXECUTE FUNCTION audit_foreign_link();

CREATE TRIGGER foreign_link_settled AFTER UPDATE OF state ON public.foreign_link FOR EACH ROW EXECUTE FUNCTION announce_change('foreign-link', 'id');

CREATE TRIGGER group_joined_audited AFTER INSERT ON public.group_member FOR EACH ROW EXECUTE FUNCTION audit_membership('group.join');

CREATE TRIGGER group_left_audited AFTER DELETE ON public.group_member FOR EACH ROW EXECUTE FUNCTION audit_membership('group.leave');

CREATE TRIGGER group_member_changed AFTER INSERT OR DELETE ON public.group_member FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');

CREATE TRIGGER group_member_left AFTER DELETE ON public.group_member FOR EACH ROW EXECUTE FUNCTION settle_after_membership();

CREATE TRIGGER group_remote_member_audited AFTER INSERT OR DELETE ON public.group_remote_member FOR EACH ROW EXECUTE FUNCTION audit_remote_membership();

CREATE TRIGGER group_remote_member_joined AFTER INSERT ON public.group_remote_member REFERENCING NEW TABLE AS changed_member FOR EACH STATEMENT EXECUTE FUNCTION note_remote_membership();

CREATE TRIGGER group_remote_member_left AFTER DELETE ON public.group_remote_member REFERENCING OLD TABLE AS changed_member FOR EACH STATEMENT EXECUTE FUNCTION note_remote_membership();

CREATE TRIGGER group_share_due_written AFTER INSERT OR UPDATE ON public.group_share_due FOR EACH STATEMENT EXECUTE FUNCTION announce_outbox();

CREATE TRIGGER group_subadmin_audited AFTER INSERT ON public.group_subadmin FOR EACH ROW EXECUTE FUNCTION audit_membership('group.add-subadmin');

CREATE TRIGGER group_subadmin_changed AFTER INSERT OR DELETE ON public.group_subadmin FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');

CREATE TRIGGER group_subadmin_end_audited AFTER DELETE ON public.group_subadmin FOR EACH ROW EXECUTE FUNCTION audit_membership('group.remove-subadmin');

CREATE TRIGGER invitation_acceptance_audited AFTER UPDATE OF accepted_at ON public.invitation FOR EACH ROW WHEN (((old.accepted_at IS NULL) AND (new.accepted_at IS NOT NULL))) EXECUTE FUNCTION audit_invitation();

CREATE TRIGGER invitation_audited AFTER INSERT ON public.invitation FOR EACH ROW EXECUTE FUNCTION audit_invitation();

CREATE TRIGGER invitation_end_audited AFTER DELETE ON public.invitation FOR EACH ROW WHEN (((old.accepted_at IS NULL) AND (old.expires_at > now()))) EXECUTE FUNCTION audit_invitation();

CREATE TRIGGER invitation_acceptance_settled AFTER UPDATE OF state ON public.invitation_acceptance FOR EACH ROW EXECUTE FUNCTION announce_change('invitation', 'id');

CREATE TRIGGER invitation_taken_audited AFTER UPDATE OF state ON public.invitation_acceptance FOR EACH ROW WHEN (((old.state = 'waiting'::text) AND (new.state <> 'waiting'::text))) EXECUTE FUNCTION audit_taken_invitation();

CREATE TRIGGER mail_lookup_settled AFTER UPDATE OF state ON public.mail_lookup FOR EACH ROW EXECUTE FUNCTION announce_change('mail-lookup', 'id');

CREATE TRIGGER node_content_changed AFTER UPDATE ON public.node REFERENCING OLD TABLE AS former_node NEW TABLE AS changed_node FOR EACH STATEMENT EXECUTE FUNCTION record_content_change();

CREATE TRIGGER node_count_grows AFTER INSERT ON public.node REFERENCING NEW TABLE AS added_node FOR EACH STATEMENT EXECUTE FUNCTION count_added_nodes();

CREATE TRIGGER node_count_moves AFTER UPDATE OF storage_id ON public.node FOR EACH ROW WHEN (((new.storage_id <> old.storage_id) AND (new.parent_id IS DISTINCT FROM old.parent_id) AND (new.received_share_id IS NULL))) EXECUTE FUNCTION count_moved_nodes();

CREATE TRIGGER node_count_shrinks AFTER DELETE ON public.node REFERENCING OLD TABLE AS removed_node FOR EACH STATEMENT EXECUTE FUNCTION count_removed_nodes();

CREATE TRIGGER node_etag_changed AFTER UPDATE OF etag ON public.node FOR EACH ROW WHEN ((old.etag <> new.etag)) EXECUTE FUNCTION add_news_of_node();

CREATE TRIGGER notification_changed AFTER INSERT OR DELETE ON public.notification FOR EACH ROW EXECUTE FUNCTION add_news_of_account('notices');

CREATE TRIGGER offer_block_audited AFTER INSERT OR DELETE ON public.offer_block FOR EACH ROW EXECUTE FUNCTION audit_offer_block();

CREATE TRIGGER offer_report_audited AFTER INSERT OR DELETE ON public.offer_report FOR EACH ROW EXECUTE FUNCTION audit_offer_report();

CREATE TRIGGER outbox_message_written AFTER INSERT ON public.outbox_message REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION announce_messages();

CREATE TRIGGER partner_keys_answered AFTER INSERT OR UPDATE OF answered_at ON public.partner_keys FOR EACH ROW EXECUTE FUNCTION announce_change('partner-keys', 'peer_id');

CREATE TRIGGER partner_keys_audited AFTER UPDATE OF document_keys, jwks ON public.partner_keys FOR EACH ROW WHEN (((new.document_keys <> old.document_keys) OR (new.jwks <> old.jwks))) EXECUTE FUNCTION audit_partner_keys();

CREATE TRIGGER partner_keys_first_audited AFTER INSERT ON public.partner_keys FOR EACH ROW WHEN (((new.document_keys || new.jwks) <> ''::text)) EXECUTE FUNCTION audit_partner_keys();

CREATE TRIGGER partner_rename_settled AFTER UPDATE OF state ON public.partner_rename FOR EACH ROW EXECUTE FUNCTION announce_change('partner-rename', 'id');

CREATE TRIGGER refused_rename_audited AFTER UPDATE OF state ON public.partner_rename FOR EACH ROW WHEN ((new.state = 'refused'::text)) EXECUTE FUNCTION audit_refused_rename();

CREATE TRIGGER passkey_audited AFTER INSERT OR DELETE ON public.passkey FOR EACH ROW EXECUTE FUNCTION audit_second_factor();

CREATE TRIGGER passkey_changed AFTER INSERT OR DELETE ON public.passkey FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');

CREATE TRIGGER peer_audited AFTER INSERT OR UPDATE OF trust, outgoing_trust, paused, pinned_profile, signatures, concurrency, rate_per_second, rate_burst, alias_of ON public.peer FOR EACH ROW EXECUTE FUNCTION audit_peer();

CREATE TRIGGER peer_changed AFTER INSERT OR DELETE OR UPDATE OF profile, pinned_profile, discovered_at, profile_expires_at, discovery_failed_until, trust, paused, alias_of ON public.peer FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');

CREATE TRIGGER peer_host_entered BEFORE INSERT ON public.peer FOR EACH ROW EXECUTE FUNCTION enter_peer_host();

CREATE TRIGGER peer_host_renamed AFTER UPDATE OF alias_of ON public.peer FOR EACH STATEMENT EXECUTE FUNCTION follow_renamed_hosts();

CREATE TRIGGER peer_outgoing_trust_changed AFTER UPDATE OF outgoing_trust ON public.peer FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');

CREATE TRIGGER peer_signatures_changed AFTER UPDATE OF signatures ON public.peer FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');

CREATE TRIGGER received_share_audited AFTER INSERT ON public.received_share FOR EACH ROW EXECUTE FUNCTION audit_received_share();

CREATE TRIGGER received_share_change_audited AFTER UPDATE OF state, permissions ON public.received_share FOR EACH ROW WHEN (((new.state <> old.state) OR (new.permissions <> old.permissions))) EXECUTE FUNCTION audit_received_share();

CREATE TRIGGER received_share_end_audited AFTER DELETE ON public.received_share FOR EACH ROW WHEN ((old.state = ANY (ARRAY['pending'::text, 'accepted'::text, 'quarantined'::text]))) EXECUTE FUNCTION audit_received_share();

CREATE TRIGGER received_share_lost AFTER DELETE ON public.received_share FOR EACH ROW EXECUTE FUNCTION record_share_event('ended');

CREATE TRIGGER received_share_lowered AFTER UPDATE OF permissions ON public.received_share FOR EACH ROW WHEN (((old.permissions & (~ new.permissions)) <> 0)) EXECUTE FUNCTION lower_reshares_of_received_share();

CREATE TRIGGER received_share_mounted AFTER INSERT OR UPDATE OF state ON public.received_share FOR EACH ROW EXECUTE FUNCTION mount_received_share();

CREATE TRIGGER received_share_placed AFTER INSERT OR DELETE OR UPDATE OF state, file_target, permissions ON public.received_share FOR EACH ROW EXECUTE FUNCTION add_news_of_received();

CREATE TRIGGER received_share_reminder_ended AFTER DELETE OR UPDATE OF expires_at, state ON public.received_share FOR EACH ROW WHEN ((old.reminded_of IS NOT NULL)) EXECUTE FUNCTION remove_reminder_of_received_share();

CREATE TRIGGER received_share_returned AFTER UPDATE OF expires_at, permissions, file_target ON public.received_share FOR EACH ROW WHEN (((new.expires_at IS DISTINCT FROM old.expires_at) OR ((new.permissions & (~ old.permissions)) <> 0) OR ((old.file_target IS NULL) AND (new.file_target IS NOT NULL)))) EXECUTE FUNCTION note_group_shares_of_return();

CREATE TRIGGER recovery_codes_audited AFTER INSERT ON public.recovery_code REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION audit_recovery_codes();

CREATE TRIGGER scim_client_audited AFTER UPDATE OF secret_hash ON public.scim_client FOR EACH ROW WHEN ((new.secret_hash IS DISTINCT FROM old.secret_hash)) EXECUTE FUNCTION audit_scim_client();

CREATE TRIGGER setting_audited AFTER INSERT OR DELETE ON public.setting FOR EACH ROW EXECUTE FUNCTION audit_setting();

CREATE TRIGGER setting_change_audited AFTER UPDATE OF value ON public.setting FOR EACH ROW WHEN ((new.value <> old.value)) EXECUTE FUNCTION audit_setting();

CREATE TRIGGER setting_changed AFTER INSERT OR DELETE OR UPDATE ON public.setting FOR EACH ROW EXECUTE FUNCTION announce_change('setting', 'app');

CREATE TRIGGER group_share_changed AFTER UPDATE OF permissions, expires_on, attributes, note, trashed_at ON public.share FOR EACH ROW WHEN (((new.share_type = 1) AND (((((new.permissions IS DISTINCT FROM old.permissions) OR (new.expires_on IS DISTINCT FROM old.expires_on)) OR (new.attributes IS DISTINCT FROM old.attributes)) OR (new.note IS DISTINCT FROM old.note)) OR (new.trashed_at IS DISTINCT FROM old.trashed_at)))) EXECUTE FUNCTION note_group_share();

CREATE TRIGGER group_share_changed_owner AFTER UPDATE OF owner_uid ON public.share FOR EACH ROW WHEN (((new.share_type = 1) AND (new.owner_uid <> old.owner_uid))) EXECUTE FUNCTION unsettle_former_owner();

CREATE TRIGGER group_share_made AFTER INSERT ON public.share FOR EACH ROW WHEN ((new.share_type = 1)) EXECUTE FUNCTION note_group_share();

CREATE TRIGGER link_narrows_saved AFTER UPDATE OF permissions, expires_on, password_hash ON public.share FOR EACH ROW WHEN (((new.share_type = 3) AND (((new.permissions IS DISTINCT FROM old.permissions) OR (new.expires_on IS DISTINCT FROM old.expires_on)) OR (new.password_hash IS DISTINCT FROM old.password_hash)))) EXECUTE FUNCTION link_narrows_saved();

CREATE TRIGGER share_accepted AFTER UPDATE OF acceptance ON public.share FOR EACH ROW WHEN (((new.requester_peer_id IS NULL) AND (new.via_owner IS NULL) AND (new.group_share_id IS NULL) AND (new.acceptance = 'accepted'::text) AND (old.acceptance <> 'accepted'::text))) EXECUTE FUNCTION record_share_event('accepted-by-recipient');

CREATE TRIGGER share_answer_audited AFTER UPDATE OF delivery_state, acceptance, via_owner ON public.share FOR EACH ROW WHEN ((((new.delivery_state = 'refused'::text) AND (old.delivery_state <> 'refused'::text)) OR (new.acceptance <> old.acceptance) OR ((new.via_owner = 'granted'::text) AND (old.via_owner = 'asked'::text)))) EXECUTE FUNCTION audit_share_answer();

CREATE TRIGGER share_asked_for_accepted AFTER UPDATE OF acceptance, requester_share_id ON public.share FOR EACH ROW WHEN (((new.requester_peer_id IS NOT NULL) AND (new.requester_share_id IS NOT NULL) AND (new.acceptance = 'accepted'::text) AND ((old.acceptance <> 'accepted'::text) OR (new.requester_share_id IS DISTINCT FROM old.requester_share_id)))) EXECUTE FUNCTION record_share_event('accepted');

CREATE TRIGGER share_audited AFTER INSERT OR DELETE ON public.share FOR EACH ROW EXECUTE FUNCTION audit_share();

CREATE TRIGGER share_changed AFTER INSERT OR DELETE OR UPDATE OF permissions, attributes, expires_on, acceptance, delivery_state ON public.share FOR EACH ROW EXECUTE FUNCTION add_news_of_share();

CREATE TRIGGER share_ended AFTER DELETE ON public.share FOR EACH ROW WHEN ((old.share_type = 6)) EXECUTE FUNCTION record_share_event('ended');

CREATE TRIGGER share_ended_by_recipient AFTER DELETE ON public.share FOR EACH ROW WHEN (((old.share_type = 6) AND (old.acceptance = ANY (ARRAY['declined'::text, 'left'::text])) AND (old.delivery_state <> 'refused'::text) AND (old.group_share_id IS NULL))) EXECUTE FUNCTION record_end_by_recipient();

CREATE TRIGGER share_narrowed AFTER UPDATE OF permissions, expires_on ON public.share FOR EACH ROW WHEN (((old.share_type = ANY (ARRAY[0, 1])) AND (((old.permissions & (~ new.permissions)) <> 0) OR (new.expires_on < CURRENT_DATE)))) EXECUTE FUNCTION settle_after_share();

CREATE TRIGGER share_not_delivered AFTER UPDATE OF delivery_state ON public.share FOR EACH ROW WHEN (((new.share_type = 6) AND (new.delivery_state = ANY (ARRAY['refused'::text, 'dead'::text])) AND (new.group_share_id IS NULL) AND (old.delivery_state <> new.delivery_state))) EXECUTE FUNCTION record_share_event('undelivered');

CREATE TRIGGER share_notifications_ended AFTER DELETE ON public.share FOR EACH ROW WHEN (((old.share_type = 6) OR (old.access_lost_at IS NOT NULL) OR (old.reminded_of IS NOT NULL))) EXECUTE FUNCTION remove_notifications_of_share('federated_share', 'reshare', 'expiring_share');

CREATE TRIGGER share_of_group_ended BEFORE DELETE ON public.share FOR EACH ROW WHEN (((old.share_type = 6) AND (old.group_share_id IS NOT NULL))) EXECUTE FUNCTION keep_end_of_group_recipient();

CREATE TRIGGER share_of_trashed_node BEFORE INSERT ON public.share FOR EACH ROW EXECUTE FUNCTION refuse_share_of_trashed_node();

CREATE TRIGGER share_passed_on_made AFTER INSERT ON public.share FOR EACH ROW WHEN (((new.initiator_uid <> new.owner_uid) AND (new.group_share_id IS NULL))) EXECUTE FUNCTION refuse_reshare_without_access();

CREATE TRIGGER share_read_audited AFTER UPDATE OF first_read_at ON public.share FOR EACH ROW WHEN (((old.first_read_at IS NULL) AND (new.first_read_at IS NOT NULL))) EXECUTE FUNCTION audit_share_read();

CREATE TRIGGER share_reminder_audited AFTER UPDATE OF reminded_of ON public.share FOR EACH ROW WHEN (((new.reminded_of IS DISTINCT FROM old.reminded_of) AND (new.reminded_of IS NOT NULL))) EXECUTE FUNCTION audit_share_reminder();

CREATE TRIGGER share_reminder_ended AFTER UPDATE OF expires_on ON public.share FOR EACH ROW WHEN (((old.reminded_of IS NOT NULL) AND (new.expires_on IS DISTINCT FROM old.expires_on))) EXECUTE FUNCTION remove_notifications_of_share('expiring_share');

CREATE TRIGGER share_seen_audited AFTER UPDATE OF seen_at ON public.share FOR EACH ROW WHEN (((old.seen_at IS NULL) AND (new.seen_at IS NOT NULL))) EXECUTE FUNCTION audit_share_seen();

CREATE TRIGGER share_trashed_audited AFTER UPDATE OF trashed_at ON public.share FOR EACH ROW WHEN ((new.trashed_at IS DISTINCT FROM old.trashed_at)) EXECUTE FUNCTION audit_trashed_share();

CREATE TRIGGER share_update_audited AFTER UPDATE OF permissions, expires_on, attributes, note, name, password_hash ON public.share FOR EACH ROW WHEN (((new.permissions IS DISTINCT FROM old.permissions) OR (new.expires_on IS DISTINCT FROM old.expires_on) OR (new.attributes IS DISTINCT FROM old.attributes) OR (new.note IS DISTINCT FROM old.note) OR (new.name IS DISTINCT FROM old.name) OR (new.password_hash IS DISTINCT FROM old.password_hash))) EXECUTE FUNCTION audit_share_update();

CREATE TRIGGER share_withdrawn AFTER DELETE ON public.share FOR EACH ROW WHEN ((old.share_type = ANY (ARRAY[0, 1]))) EXECUTE FUNCTION settle_after_share();

CREATE TRIGGER share_event_written AFTER INSERT ON public.share_event FOR EACH STATEMENT EXECUTE FUNCTION announce_outbox();

CREATE TRIGGER share_notice_was_dismissed AFTER INSERT ON public.share_notice_dismissed FOR EACH ROW EXECUTE FUNCTION add_news_of_account('notices');

CREATE TRIGGER share_recipient_audited AFTER UPDATE OF state ON public.share_recipient FOR EACH ROW WHEN ((new.state <> old.state)) EXECUTE FUNCTION audit_share_recipient();

CREATE TRIGGER share_recipient_changed AFTER INSERT OR DELETE OR UPDATE ON public.share_recipient FOR EACH ROW EXECUTE FUNCTION add_news_of_account('mounts');

CREATE TRIGGER share_recipient_first_audited AFTER INSERT ON public.share_recipient FOR EACH ROW WHEN (((current_setting('drawbridge.acting'::text, true) <> ''::text) AND ((new.state = 2) OR (new.file_target IS NOT NULL)))) EXECUTE FUNCTION audit_share_recipient();

CREATE TRIGGER share_recipient_left AFTER UPDATE OF state ON public.share_recipient FOR EACH ROW WHEN (((old.state = 0) AND (new.state <> 0))) EXECUTE FUNCTION settle_after_decline();

CREATE TRIGGER share_recipient_reminder_ended AFTER INSERT OR UPDATE OF state ON public.share_recipient FOR EACH ROW WHEN ((new.state = 2)) EXECUTE FUNCTION remove_reminder_of_recipient();

CREATE TRIGGER signing_key_audited AFTER INSERT ON public.signing_key FOR EACH ROW EXECUTE FUNCTION audit_signing_key();

CREATE TRIGGER signing_key_changed AFTER INSERT OR DELETE OR UPDATE ON public.signing_key FOR EACH ROW EXECUTE FUNCTION announce_change('signing-key', 'algorithm');

CREATE TRIGGER signing_key_end_audited AFTER UPDATE OF retired_at ON public.signing_key FOR EACH ROW WHEN ((new.retired_at IS DISTINCT FROM old.retired_at)) EXECUTE FUNCTION audit_signing_key();

CREATE TRIGGER totp_audited AFTER INSERT OR DELETE ON public.totp FOR EACH ROW EXECUTE FUNCTION audit_second_factor();

CREATE TRIGGER totp_changed AFTER INSERT OR DELETE ON public.totp FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');

CREATE TRIGGER trashed_node_audited AFTER INSERT OR DELETE ON public.trashed_node FOR EACH ROW EXECUTE FUNCTION audit_trashed_node();

CREATE TRIGGER handshake_audited AFTER INSERT ON public.trusted_handshake FOR EACH ROW EXECUTE FUNCTION audit_handshake();

CREATE TRIGGER handshake_step_audited AFTER UPDATE OF state ON public.trusted_handshake FOR EACH ROW WHEN (((new.state <> old.state) AND (new.state = ANY (ARRAY['asking'::text, 'fetching'::text, 'done'::text, 'failed'::text])))) EXECUTE FUNCTION audit_handshake();

CREATE TRIGGER account_audited AFTER INSERT OR DELETE ON public.user_account FOR EACH ROW EXECUTE FUNCTION audit_account();

CREATE TRIGGER account_update_audited AFTER UPDATE OF enabled, quota_bytes, display_name, email, language, password_hash ON public.user_account FOR EACH ROW WHEN (((new.enabled IS DISTINCT FROM old.enabled) OR (new.quota_bytes IS DISTINCT FROM old.quota_bytes) OR (new.display_name IS DISTINCT FROM old.display_name) OR (new.email IS DISTINCT FROM old.email) OR (new.language IS DISTINCT FROM old.language) OR (new.password_hash IS DISTINCT FROM old.password_hash))) EXECUTE FUNCTION audit_account();

CREATE TRIGGER maker_of_group_shares_enabled AFTER UPDATE OF enabled ON public.user_account FOR EACH ROW WHEN ((new.enabled AND (NOT old.enabled))) EXECUTE FUNCTION note_group_shares_of_enabled();

CREATE TRIGGER user_account_changed AFTER INSERT OR DELETE OR UPDATE OF display_name, email, password_hash, enabled, quota_bytes, language, credentials_version ON public.user_account FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');

CREATE TRIGGER group_audited AFTER INSERT OR DELETE ON public.user_group FOR EACH ROW EXECUTE FUNCTION audit_group();

CREATE TRIGGER user_group_changed AFTER INSERT OR DELETE ON public.user_group FOR EACH ROW EXECUTE FUNCTION announce_change('group', 'gid');

CREATE TRIGGER preference_audited AFTER INSERT ON public.user_preference FOR EACH ROW EXECUTE FUNCTION audit_preference();

CREATE TRIGGER preference_change_audited AFTER UPDATE OF value ON public.user_preference FOR EACH ROW WHEN ((new.value <> old.value)) EXECUTE FUNCTION audit_preference();

CREATE TRIGGER user_preference_changed AFTER INSERT OR DELETE OR UPDATE ON public.user_preference FOR EACH ROW EXECUTE FUNCTION announce_change('account', 'uid');
