import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One rule for shares whose initiator loses access to the node, however the access ends: a deleted,
 * lowered or expired share, a decline, a lost membership, a move. The setting `reshares_without_access` chooses it.
 */
export class ResharesWithoutAccess1764000000024 implements MigrationInterface {
  readonly name = 'ResharesWithoutAccess1764000000024';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS);
    await runner.query(LOWER);
    await runner.query(GRANTED);
    await runner.query(SETTLE);
    await runner.query(CAUSES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const COLUMNS = `
-- access_lost_at: when the initiator of a reshare that goes on lost access to the node, and the owner was told.
ALTER TABLE share ADD COLUMN access_lost_at timestamptz;
CREATE INDEX share_passed_on ON share (owner_uid, initiator_uid) WHERE initiator_uid <> owner_uid;
-- Links ended with the share that parent_id names; nothing reads it any more.
ALTER TABLE share DROP CONSTRAINT share_parent_id_fkey;
DROP INDEX share_by_parent;
`;

/** The only place in the database that tells a partner about lowered permissions. */
const LOWER = `
CREATE FUNCTION lower_share(lowered_id bigint, allowed integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lowered share%ROWTYPE;
  said text;
BEGIN
  UPDATE share SET permissions = permissions & allowed,
    revision = revision + CASE WHEN share_type = 6 AND via_owner IS DISTINCT FROM 'asked' AND delivery_state <> 'refused' THEN 1 ELSE 0 END,
    delivery_state = CASE delivery_state WHEN 'delivered' THEN 'pending' ELSE delivery_state END
    WHERE id = lowered_id AND (permissions & ~allowed) <> 0
    RETURNING * INTO lowered;
  IF NOT FOUND OR lowered.share_type <> 6 OR lowered.via_owner = 'asked' OR lowered.peer_id IS NULL
    OR lowered.delivery_state = 'refused' THEN
    RETURN;
  END IF;
  said := CASE WHEN lowered.via_owner = 'granted' THEN 'reshare-permissions' ELSE 'share-permissions' END;
  PERFORM pg_advisory_xact_lock(hashtextextended('outbox/share/' || lowered.id, 0));
  UPDATE outbox_message SET state = 'superseded', finished_at = now(), lease_until = NULL
    WHERE subject_type = 'share' AND subject_id = lowered.id AND state IN ('pending', 'queued') AND kind = said;
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  VALUES ('share', lowered.id, lowered.peer_id, said, lowered.revision, said || ':share/' || lowered.id || ':' || lowered.revision,
    jsonb_build_object('providerId', coalesce(lowered.granted_id, lowered.id::text), 'grantee', lowered.recipient,
      'permissions', lowered.permissions),
    coalesce(lowered.granted_token_enc, lowered.token_enc), now() + interval '7 days');
END $$;

CREATE OR REPLACE FUNCTION lower_what_was_passed_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lower_share(s.id, NEW.permissions) FROM share s
    WHERE (s.permissions & ~NEW.permissions) <> 0 AND s.via_owner IS DISTINCT FROM 'granted' AND s.node_id IN (
      SELECT n.id FROM storage st JOIN node n ON n.storage_id = st.id WHERE st.received_share_id = NEW.id);
  RETURN NULL;
END $$;
`;

/**
 * Only shares of the node and of the folders above it count. With \`from_owner\`, a share counts only if a chain of
 * shares leads to it from the owner: two people who share with each other do not keep each other's access alive.
 */
const GRANTED = `
CREATE FUNCTION granted_by_shares(asked_uid text, in_storage integer, at_path text, from_owner boolean) RETURNS integer LANGUAGE sql AS $$
  WITH RECURSIVE above AS (
    SELECT array_to_string(parts[1:depth], '/') AS path
    FROM string_to_array(at_path, '/') AS parts
    CROSS JOIN LATERAL generate_series(least(1, cardinality(parts)), cardinality(parts)) AS depth
  ), given AS MATERIALIZED (
    SELECT s.id, s.share_type, s.initiator_uid, s.initiator_uid = s.owner_uid AS by_owner, s.recipient_canonical, s.initial_state,
      s.permissions::integer AS permissions, n.path
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
    WHERE g.share_type = 1 AND coalesce(r.state, g.initial_state) = 0
  ), reached AS (
    SELECT uid, path, permissions FROM held WHERE by_owner OR NOT from_owner
    UNION
    SELECT h.uid, h.path, h.permissions & r.permissions FROM reached r JOIN held h ON h.initiator_uid = r.uid
    WHERE NOT h.by_owner AND (h.permissions & r.permissions) > 0 AND (h.path = r.path OR starts_with(h.path, r.path || '/'))
  )
  SELECT coalesce(bit_or(permissions), 0) FROM reached WHERE uid = asked_uid
$$;
`;

const SETTLE = `
CREATE FUNCTION reshares_follow() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM setting WHERE app = 'files_sharing' AND key = 'reshares_without_access' AND value = 'follow')
$$;

CREATE FUNCTION tell_owner_of_lost_access(reshare share, node_name text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO notification (uid, app, object_type, object_id, subject, message)
  SELECT reshare.owner_uid, 'files_sharing', 'reshare', reshare.id::text,
    format('%s lost access to "%s", but still shares it %s', coalesce(initiator.display_name, reshare.initiator_uid), node_name,
      CASE WHEN reshare.share_type = 3 THEN 'by a public link' ELSE 'with ' || coalesce(recipient.display_name, reshare.recipient) END),
    'You can change this share or end it.'
  FROM (SELECT 1) AS always
  LEFT JOIN user_account initiator ON initiator.uid = reshare.initiator_uid
  LEFT JOIN user_account recipient ON reshare.share_type = 0 AND recipient.uid = reshare.recipient_canonical
  ON CONFLICT (uid, app, object_type, object_id) DO NOTHING
$$;

-- Applies the rule to what was passed on of a node and of all below it: by these people, or by everybody where initiators is NULL.
-- A share that ends or is lowered here does the same for those who passed it on further. Links and shares with partners have the
-- conditions that their initiator has; one who leaves must not free them, so they keep lost_attributes, of the share that was lost.
CREATE FUNCTION settle_reshares(in_storage integer, at_path text, initiators text[], lost_attributes text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  reshare share%ROWTYPE;
  place record;
  granted integer;
  follows boolean := reshares_follow();
BEGIN
  -- Of two accesses that end at once, one sees what is left of the other; so does a reshare that is being made.
  IF follows THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('reshares', 0));
  END IF;
  FOR reshare IN
    SELECT s.* FROM storage st JOIN share s ON s.owner_uid = st.owner_uid JOIN node n ON n.id = s.node_id AND n.storage_id = st.id
    WHERE st.id = in_storage AND s.initiator_uid <> s.owner_uid AND (initiators IS NULL OR s.initiator_uid = ANY(initiators))
      AND (n.path = at_path OR starts_with(n.path, at_path || '/'))
    ORDER BY s.id FOR UPDATE OF s
  LOOP
    SELECT name, path INTO place FROM node WHERE id = reshare.node_id;
    granted := granted_by_shares(reshare.initiator_uid, in_storage, place.path, follows);
    IF NOT follows THEN
      IF granted = 0 AND reshare.access_lost_at IS NULL THEN
        UPDATE share SET access_lost_at = now() WHERE id = reshare.id;
        UPDATE share SET attributes = (coalesce(attributes, '[]')::jsonb || lost_attributes::jsonb)::text
          WHERE id = reshare.id AND share_type IN (3, 6) AND NOT coalesce(attributes, '[]')::jsonb @> lost_attributes::jsonb;
        PERFORM tell_owner_of_lost_access(reshare, place.name);
      END IF;
    ELSIF (reshare.permissions & granted) = 0 THEN
      DELETE FROM share WHERE id = reshare.id;
    ELSE
      PERFORM lower_share(reshare.id, granted);
    END IF;
  END LOOP;
END $$;
`;

const CAUSES = `
CREATE FUNCTION settle_reshares_of_share(lost share, uids text[]) RETURNS void LANGUAGE sql AS $$
  SELECT settle_reshares(n.storage_id, n.path, uids, lost.attributes) FROM node n WHERE n.id = lost.node_id
$$;

CREATE FUNCTION settle_after_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_reshares_of_share(OLD, CASE OLD.share_type WHEN 0 THEN ARRAY[OLD.recipient_canonical]
    ELSE ARRAY(SELECT uid FROM group_member WHERE gid = OLD.recipient_canonical) END);
  RETURN NULL;
END $$;
CREATE TRIGGER share_withdrawn AFTER DELETE ON share FOR EACH ROW WHEN (OLD.share_type IN (0, 1))
  EXECUTE FUNCTION settle_after_share();
CREATE TRIGGER share_narrowed AFTER UPDATE OF permissions, expires_on ON share FOR EACH ROW
  WHEN (OLD.share_type IN (0, 1) AND ((OLD.permissions & ~NEW.permissions) <> 0 OR NEW.expires_on < current_date))
  EXECUTE FUNCTION settle_after_share();

CREATE FUNCTION settle_after_decline() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_reshares_of_share(s, ARRAY[NEW.uid]) FROM share s WHERE s.id = NEW.share_id;
  RETURN NULL;
END $$;
CREATE TRIGGER share_recipient_left AFTER UPDATE OF state ON share_recipient FOR EACH ROW
  WHEN (OLD.state = 0 AND NEW.state <> 0) EXECUTE FUNCTION settle_after_decline();

CREATE FUNCTION settle_after_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_reshares_of_share(s, ARRAY[OLD.uid]) FROM share s WHERE s.share_type = 1 AND s.recipient_canonical = OLD.gid;
  RETURN NULL;
END $$;
CREATE TRIGGER group_member_left AFTER DELETE ON group_member FOR EACH ROW EXECUTE FUNCTION settle_after_membership();

CREATE FUNCTION refuse_reshare_without_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT reshares_follow() THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('reshares', 0));
  IF NOT EXISTS (SELECT FROM node n WHERE n.id = NEW.node_id
      AND (granted_by_shares(NEW.initiator_uid, n.storage_id, n.path, true) & NEW.permissions) > 0) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the initiator has no access to the node any more';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER share_passed_on_made AFTER INSERT ON share FOR EACH ROW WHEN (NEW.initiator_uid <> NEW.owner_uid)
  EXECUTE FUNCTION refuse_reshare_without_access();

CREATE FUNCTION forget_lost_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification
    WHERE uid = OLD.owner_uid AND app = 'files_sharing' AND object_type = 'reshare' AND object_id = OLD.id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER share_without_access_ended AFTER DELETE ON share FOR EACH ROW WHEN (OLD.access_lost_at IS NOT NULL)
  EXECUTE FUNCTION forget_lost_access();
`;
