import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as audited from './0015-audit-triggers';

/**
 * The audit log: decisions on shares, partners, accounts and settings, and their actors.
 *
 * Triggers write it, so that no writer can forget it. It contains no secrets: triggers name the columns that they record.
 */
export class AuditLog1764000000015 implements MigrationInterface {
  readonly name = 'AuditLog1764000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EVENTS);
    await runner.query(WRITING);
    await runner.query(REFUSALS);
    await runner.query(GUARDS);
    for (const triggers of Object.values(audited)) await runner.query(triggers);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const EVENTS = `
-- actor: a user id or a partner's host; NULL where it is not known who. attempts: how often it happened within a minute, for
-- refused attempts, which share a row by their window_key.
CREATE TABLE audit_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  actor_kind text COLLATE "C" NOT NULL CHECK (actor_kind IN ('user', 'partner', 'operator', 'system')),
  actor text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  object_id text COLLATE "C",
  outcome text COLLATE "C" NOT NULL DEFAULT 'done' CHECK (outcome IN ('done', 'refused')),
  address text COLLATE "C",
  request_id text COLLATE "C",
  attempts integer NOT NULL DEFAULT 1,
  detail jsonb NOT NULL DEFAULT '{}' CHECK (octet_length(detail::text) <= 4096),
  window_key uuid
);
CREATE INDEX audit_event_at ON audit_event (at);
CREATE INDEX audit_event_by_actor ON audit_event (actor, id) WHERE actor IS NOT NULL;
CREATE INDEX audit_event_by_object ON audit_event (object_type, object_id, id);
CREATE UNIQUE INDEX audit_event_window ON audit_event (window_key) WHERE window_key IS NOT NULL;
`;

/** A row that cannot be written would undo the decision, so texts without a limit of their own are cut. */
const WRITING = `
-- On whose behalf the transaction is at work: kind, name, peer, address and request.
CREATE FUNCTION audit_acting() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('drawbridge.acting', true), ''), '{}')::jsonb
$$;
CREATE FUNCTION audit_acting_name(acting jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(acting ->> 'name', (SELECT host_key FROM peer WHERE id = (acting ->> 'peer')::bigint))
$$;
CREATE FUNCTION audit_bounded(detail jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN octet_length(detail::text) <= 4096 THEN jsonb_strip_nulls(detail) ELSE '{"cut": true}' END
$$;
-- by_kind and by_name are for those of whom the change itself says who made it.
CREATE FUNCTION audit(said text, about text, about_id text, details jsonb DEFAULT '{}', how text DEFAULT 'done',
  by_kind text DEFAULT NULL, by_name text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  acting jsonb := audit_acting();
BEGIN
  INSERT INTO audit_event (actor_kind, actor, action, object_type, object_id, outcome, address, request_id, detail)
  VALUES (coalesce(by_kind, acting ->> 'kind', 'system'),
    CASE WHEN by_kind IS NULL THEN left(audit_acting_name(acting), 512) ELSE left(by_name, 512) END,
    said, about, left(about_id, 512), how, left(acting ->> 'address', 64), left(acting ->> 'request', 64), audit_bounded(details));
END $$;
CREATE FUNCTION audit_host(id_of_peer bigint) RETURNS text LANGUAGE sql STABLE AS $$ SELECT host_key FROM peer WHERE id = id_of_peer $$;
`;

/**
 * Equal refusals of one actor within a minute share one row. Each actor, and all unknown actors together, get at most
 * sixty rows a minute; the rest is counted in one row per action.
 */
const REFUSALS = `
CREATE FUNCTION audit_refusal(said text, about text, about_id text, details jsonb, times integer DEFAULT 1) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  acting jsonb := audit_acting();
  by_kind text := coalesce(acting ->> 'kind', 'system');
  claimed text := CASE WHEN by_kind = 'partner' AND NOT acting ? 'peer' THEN left(acting ->> 'name', 512) END;
  by_name text := CASE WHEN claimed IS NULL THEN left(audit_acting_name(acting), 512) END;
  from_address text := left(acting ->> 'address', 64);
  minute timestamptz := date_trunc('minute', now());
  facts jsonb := audit_bounded(details || jsonb_build_object('claimed', claimed));
  key uuid := md5(concat_ws(E'\\n', minute, said, about, about_id, by_kind, by_name, from_address, claimed, details ->> 'reason'))::uuid;
BEGIN
  UPDATE audit_event SET attempts = attempts + times WHERE window_key = key;
  IF FOUND THEN
    RETURN;
  END IF;
  IF (SELECT count(*) FROM audit_event WHERE at >= minute AND window_key IS NOT NULL AND actor_kind = by_kind
      AND actor IS NOT DISTINCT FROM by_name) >= 60 THEN
    key := md5(concat_ws(E'\\n', minute, said, by_kind, by_name))::uuid;
    about_id := NULL;
    from_address := NULL;
    facts := '{"reason": "many"}';
  END IF;
  INSERT INTO audit_event AS e (actor_kind, actor, action, object_type, object_id, outcome, address, request_id, attempts, detail, window_key)
  VALUES (by_kind, by_name, said, about, left(about_id, 512), 'refused', from_address, left(acting ->> 'request', 64), times, facts, key)
  ON CONFLICT (window_key) WHERE window_key IS NOT NULL DO UPDATE SET attempts = e.attempts + times;
END $$;
`;

/** Rows are deleted at the age in the setting, and never changed. */
const GUARDS = `
-- Days that rows are kept; 0 for ever.
CREATE FUNCTION audit_retention_days() RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT value::integer FROM setting WHERE app = 'system' AND key = 'audit_retention_days'), 365)
$$;

CREATE FUNCTION keep_audit_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.window_key IS NULL OR NEW.attempts <= OLD.attempts
    OR to_jsonb(NEW) - 'attempts' IS DISTINCT FROM to_jsonb(OLD) - 'attempts' THEN
    RAISE EXCEPTION 'audit_event is only added to';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_event_kept BEFORE UPDATE ON audit_event FOR EACH ROW EXECUTE FUNCTION keep_audit_event();

CREATE FUNCTION keep_young_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  days integer := audit_retention_days();
BEGIN
  IF days = 0 AND EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM gone WHERE at > now() - days * interval '1 day') THEN
    RAISE EXCEPTION 'audit_event keeps its rows for % days', days;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_event_young_kept AFTER DELETE ON audit_event REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_young_audit_events();

CREATE FUNCTION keep_all_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_event is only added to';
END $$;
CREATE TRIGGER audit_event_not_emptied BEFORE TRUNCATE ON audit_event EXECUTE FUNCTION keep_all_audit_events();
`;
