import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One decision per host, for all addresses of partners there. */
export class HostsOfPartners1764000000025 implements MigrationInterface {
  readonly name = 'HostsOfPartners1764000000025';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(HOSTS);
    await runner.query(RENAMES);
    await runner.query(MERGE);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const HOSTS = `
-- The host in the address of a partner: without its folder and without the usual ports, as HostIdentity makes it.
CREATE FUNCTION peer_host(host_key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(split_part(host_key, '/', 1), ':(80|443)$', '')
$$;

-- host_id: the row of the host. Its trust, demanded signatures, pause, limits and gate count for all addresses there;
-- in the rows of other addresses they say nothing.
ALTER TABLE peer ADD COLUMN host_id bigint REFERENCES peer;
CREATE INDEX peer_by_host ON peer (host_id);

CREATE FUNCTION enter_peer_host() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE TRIGGER peer_host_entered BEFORE INSERT ON peer FOR EACH ROW EXECUTE FUNCTION enter_peer_host();
`;

const RENAMES = `
-- The host that has the say over an address: that of the partner's present name, and the present one of that host.
CREATE FUNCTION peer_host_id(id_of_peer bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT present.id FROM peer p
  JOIN peer named ON named.id = coalesce(p.alias_of, p.id)
  JOIN peer host ON host.host_key = peer_host(named.host_key)
  JOIN peer renamed ON renamed.id = coalesce(host.alias_of, host.id)
  JOIN peer present ON present.host_key = peer_host(renamed.host_key)
  WHERE p.id = id_of_peer
$$;
CREATE FUNCTION follow_renamed_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE peer p SET host_id = peer_host_id(p.id) WHERE p.host_id IS DISTINCT FROM peer_host_id(p.id);
  RETURN NULL;
END $$;
`;

/**
 * The strictest decision about the addresses of one host is used from now on. It is written to all of their rows, so
 * that processes of the previous version follow it, too. A decision that is left to the setting counts as the value of the
 * setting.
 */
const MERGE = `
CREATE FUNCTION pg_temp.canonical(host_key text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  parts text[] := regexp_match(host_key, '^\\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\\](.*)$');
  high integer;
  low integer;
BEGIN
  IF parts IS NULL THEN RETURN host_key; END IF;
  high := ('x' || lpad(parts[1], 4, '0'))::bit(16)::integer;
  low := ('x' || lpad(parts[2], 4, '0'))::bit(16)::integer;
  RETURN format('%s.%s.%s.%s%s', high >> 8, high & 255, low >> 8, low & 255, parts[3]);
END $$;
CREATE FUNCTION pg_temp.default_trust(direction text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce((SELECT value FROM setting WHERE app = 'federatedfilesharing' AND key = direction || '_default_trust'), 'allowed')
$$;
CREATE FUNCTION pg_temp.leniency(said text, direction text) RETURNS integer LANGUAGE sql AS $$
  SELECT array_position(ARRAY['denied', 'invited', 'allowed', 'trusted'],
    CASE said WHEN 'unknown' THEN pg_temp.default_trust(direction) ELSE said END) * 2 - (said = 'unknown')::integer
$$;
CREATE FUNCTION pg_temp.demand_leniency(said text) RETURNS integer LANGUAGE sql AS $$
  SELECT array_position(ARRAY['required', 'known', 'checked'], coalesce(said,
    (SELECT value FROM setting WHERE app = 'federatedfilesharing' AND key = 'incoming_signatures'), 'known')) * 2 - (said IS NULL)::integer
$$;

CREATE TEMP TABLE merged_peer ON COMMIT DROP AS SELECT id, host_key AS spelled FROM peer WHERE alias_of IS NULL;
UPDATE peer p SET host_key = pg_temp.canonical(p.host_key) WHERE pg_temp.canonical(p.host_key) <> p.host_key
  AND NOT EXISTS (SELECT FROM peer o WHERE o.host_key = pg_temp.canonical(p.host_key));
UPDATE peer p SET alias_of = o.id FROM peer o
  WHERE pg_temp.canonical(p.host_key) <> p.host_key AND o.host_key = pg_temp.canonical(p.host_key) AND p.alias_of IS NULL;
INSERT INTO peer (host_key) SELECT DISTINCT peer_host(host_key) FROM peer ON CONFLICT (host_key) DO NOTHING;
UPDATE peer SET host_id = peer_host_id(id);
ALTER TABLE peer ALTER COLUMN host_id SET NOT NULL;
CREATE TRIGGER peer_host_renamed AFTER UPDATE OF alias_of ON peer FOR EACH STATEMENT EXECUTE FUNCTION follow_renamed_hosts();

CREATE TEMP TABLE merged_host ON COMMIT DROP AS
  SELECT p.host_id,
    (array_agg(p.trust ORDER BY pg_temp.leniency(p.trust, 'incoming')))[1] AS trust,
    (array_agg(coalesce(p.outgoing_trust, p.trust)
      ORDER BY pg_temp.leniency(coalesce(p.outgoing_trust, p.trust), 'outgoing')))[1] AS outgoing_trust,
    (array_agg(p.signatures ORDER BY pg_temp.demand_leniency(p.signatures)))[1] AS signatures,
    bool_and(p.ignores_unreadable_signatures) AS ignores_unreadable_signatures, bool_or(p.paused) AS paused,
    min(p.concurrency) AS concurrency, min(p.rate_per_second) AS rate_per_second, min(p.rate_burst) AS rate_burst,
    (array_agg(p.gate ORDER BY (p.gate #>> '{breaker,openUntilMs}')::double precision DESC NULLS LAST))[1] AS gate,
    max(p.parked_until) AS parked_until,
    jsonb_agg(jsonb_build_object('host', m.spelled, 'trust', p.trust, 'outgoing', p.outgoing_trust, 'signatures', p.signatures)
      ORDER BY m.spelled) AS addresses
  FROM merged_peer m JOIN peer p ON p.id = m.id GROUP BY p.host_id;
UPDATE peer p SET trust = h.trust, outgoing_trust = nullif(h.outgoing_trust, h.trust), signatures = h.signatures,
    ignores_unreadable_signatures = h.ignores_unreadable_signatures, paused = h.paused, concurrency = h.concurrency,
    rate_per_second = h.rate_per_second, rate_burst = h.rate_burst, gate = h.gate, parked_until = h.parked_until
  FROM merged_host h WHERE p.host_id = h.host_id AND (p.id = h.host_id OR p.id IN (SELECT id FROM merged_peer))
    AND (p.id <> h.host_id OR jsonb_array_length(h.addresses) > 1 OR h.addresses -> 0 ->> 'host' <> p.host_key);
SELECT audit('partner.merge', 'partner', audit_host(host_id), jsonb_build_object('addresses', addresses, 'trust', trust,
    'outgoing', nullif(outgoing_trust, trust), 'signatures', signatures))
  FROM merged_host WHERE jsonb_array_length(addresses) > 1;
`;
