import { SETTINGS } from '#sharing';
import { AUDIT_BOUNDS, MOST_REFUSALS_A_MINUTE } from '../audit-bounds';

const RETENTION_DAYS = Number(SETTINGS.find(({ key }) => key === 'audit_retention_days')!.fallback);

/** The audit log: its records and their deletion. */
export const AUDIT_LOG = `
-- On whose behalf the transaction is at work: kind, name, peer, address and request.
CREATE OR REPLACE FUNCTION audit_acting() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('drawbridge.acting', true), ''), '{}')::jsonb
$$;

-- The look-up of a partner would be planned for each record, although most records have no partner.
CREATE OR REPLACE FUNCTION audit_acting_name(acting jsonb) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF acting ->> 'name' IS NOT NULL OR acting ->> 'peer' IS NULL THEN
    RETURN acting ->> 'name';
  END IF;
  RETURN (SELECT host_key FROM peer WHERE id = (acting ->> 'peer')::bigint);
END $$;

CREATE OR REPLACE FUNCTION audit_bounded(detail jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN octet_length(detail::text) <= ${AUDIT_BOUNDS.detail} THEN jsonb_strip_nulls(detail) ELSE '{"cut": true}' END
$$;

-- by_kind and by_name are for changes that say themselves who made them.
CREATE OR REPLACE FUNCTION audit(said text, about text, about_id text, details jsonb DEFAULT '{}', how text DEFAULT 'done',
  by_kind text DEFAULT NULL, by_name text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  acting jsonb := audit_acting();
BEGIN
  INSERT INTO audit_event (actor_kind, actor, action, object_type, object_id, outcome, address, request_id, detail)
  VALUES (coalesce(by_kind, acting ->> 'kind', 'system'),
    CASE WHEN by_kind IS NULL THEN left(audit_acting_name(acting), ${AUDIT_BOUNDS.name}) ELSE left(by_name, ${AUDIT_BOUNDS.name}) END,
    said, about, left(about_id, ${AUDIT_BOUNDS.name}), how, left(acting ->> 'address', ${AUDIT_BOUNDS.address}), left(acting ->> 'request', ${AUDIT_BOUNDS.requestId}), audit_bounded(details));
END $$;

CREATE OR REPLACE FUNCTION audit_host(id_of_peer bigint) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT host_key FROM peer WHERE id = id_of_peer);
END $$;

CREATE OR REPLACE FUNCTION audit_refusal(said text, about text, about_id text, details jsonb, times integer DEFAULT 1) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  acting jsonb := audit_acting();
  by_kind text := coalesce(acting ->> 'kind', 'system');
  claimed text := CASE WHEN by_kind = 'partner' AND NOT acting ? 'peer' THEN left(acting ->> 'name', ${AUDIT_BOUNDS.name}) END;
  by_name text := CASE WHEN claimed IS NULL THEN left(audit_acting_name(acting), ${AUDIT_BOUNDS.name}) END;
  from_address text := left(acting ->> 'address', ${AUDIT_BOUNDS.address});
  minute timestamptz := date_trunc('minute', now());
  facts jsonb := audit_bounded(details || jsonb_build_object('claimed', claimed));
  key uuid := md5(concat_ws(E'\\n', minute, said, about, about_id, by_kind, by_name, from_address, claimed, details ->> 'reason'))::uuid;
BEGIN
  UPDATE audit_event SET attempts = attempts + times WHERE window_key = key;
  IF FOUND THEN
    RETURN;
  END IF;
  IF (SELECT count(*) FROM audit_event WHERE at >= minute AND window_key IS NOT NULL AND actor_kind = by_kind
      AND actor IS NOT DISTINCT FROM by_name) >= ${MOST_REFUSALS_A_MINUTE} THEN
    key := md5(concat_ws(E'\\n', minute, said, by_kind, by_name))::uuid;
    about_id := NULL;
    from_address := NULL;
    facts := '{"reason": "many"}';
  END IF;
  INSERT INTO audit_event AS e (actor_kind, actor, action, object_type, object_id, outcome, address, request_id, attempts, detail, window_key)
  VALUES (by_kind, by_name, said, about, left(about_id, ${AUDIT_BOUNDS.name}), 'refused', from_address, left(acting ->> 'request', ${AUDIT_BOUNDS.requestId}), times, facts, key)
  ON CONFLICT (window_key) WHERE window_key IS NOT NULL DO UPDATE SET attempts = e.attempts + times;
END $$;

-- Days that rows are kept; 0 means for ever.
CREATE OR REPLACE FUNCTION audit_retention_days() RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT value::integer FROM setting WHERE app = 'system' AND key = 'audit_retention_days'), ${RETENTION_DAYS});
END $$;

-- The event without an account that ended: its pseudonym for its id, and no address, path or name where the account acted, owns or is meant.
CREATE OR REPLACE FUNCTION audit_without(told audit_event, ended text, pseudonym text) RETURNS audit_event LANGUAGE plpgsql IMMUTABLE AS $$
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
END $$;

CREATE OR REPLACE FUNCTION keep_audit_event() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE OR REPLACE TRIGGER audit_event_kept BEFORE UPDATE ON audit_event FOR EACH ROW EXECUTE FUNCTION keep_audit_event();

CREATE OR REPLACE FUNCTION keep_young_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  days integer := audit_retention_days();
BEGIN
  IF days = 0 AND EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM gone WHERE at > now() - make_interval(days => days)) THEN
    RAISE EXCEPTION 'audit_event keeps its rows for % days', days;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER audit_event_young_kept AFTER DELETE ON audit_event REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_young_audit_events();

CREATE OR REPLACE FUNCTION keep_all_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_event is only added to';
END $$;
CREATE OR REPLACE TRIGGER audit_event_not_emptied BEFORE TRUNCATE ON audit_event EXECUTE FUNCTION keep_all_audit_events();
`;
