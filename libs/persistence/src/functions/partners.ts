/** The host that decides for each address of a partner. */
export const PARTNERS = `
-- The host in the address of a partner: without its folder and without the usual ports, as HostIdentity makes it.
CREATE OR REPLACE FUNCTION peer_host(host_key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(split_part(host_key, '/', 1), ':(80|443)$', '')
$$;

-- The host that decides for an address: that of the partner's present name, by the present name of the host.
CREATE OR REPLACE FUNCTION peer_host_id(id_of_peer bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT present.id FROM peer p
  JOIN peer named ON named.id = coalesce(p.alias_of, p.id)
  JOIN peer host ON host.host_key = peer_host(named.host_key)
  JOIN peer renamed ON renamed.id = coalesce(host.alias_of, host.id)
  JOIN peer present ON present.host_key = peer_host(renamed.host_key)
  WHERE p.id = id_of_peer);
END $$;

CREATE OR REPLACE FUNCTION enter_peer_host() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE TRIGGER peer_host_entered BEFORE INSERT ON peer FOR EACH ROW EXECUTE FUNCTION enter_peer_host();

CREATE OR REPLACE FUNCTION follow_renamed_hosts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE peer p SET host_id = peer_host_id(p.id) WHERE p.host_id IS DISTINCT FROM peer_host_id(p.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER peer_host_renamed AFTER UPDATE OF alias_of ON peer FOR EACH STATEMENT EXECUTE FUNCTION follow_renamed_hosts();
`;
