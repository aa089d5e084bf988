import { READ, SECOND_FACTOR, SHARE_TYPES } from '#sharing';
import { stateWithoutRow } from '../repositories/files/mount-sql';
import { subtreesOf } from '../repositories/files/subtree-sql';
import { PLACED_HERE } from '../repositories/shares/kind-sql';
import { notExpired } from '../repositories/shares/share-row';

const { user: USER, group: GROUP, link: LINK, federated: FEDERATED } = SHARE_TYPES;

/**
 * Queries of a WITH clause: `held` has the shares by which people reach the node at `at_path` of the storage `in_storage`.
 * @param people query of their ids, as `uid`
 * @param condition further condition on a share `s`
 */
const heldBy = (people: string, condition = ''): string => `above AS (
    SELECT array_to_string(parts[1:depth], '/') AS path
    FROM string_to_array(at_path, '/') AS parts
    CROSS JOIN LATERAL generate_series(least(1, cardinality(parts)), cardinality(parts)) AS depth
  ), given AS MATERIALIZED (
    SELECT s.id, s.share_type, s.initiator_uid, s.initiator_uid = s.owner_uid AS by_owner, s.recipient_canonical, s.initial_state,
      s.permissions::integer AS permissions, s.attributes, n.path
    FROM above JOIN node n ON n.storage_id = in_storage AND n.path_hash = md5(above.path)::uuid AND n.path = above.path
    JOIN share s ON s.node_id = n.id
    WHERE s.share_type IN ${PLACED_HERE} AND s.permissions > 0 ${condition}
  ), people AS (
    ${people}
  ), held AS (
    SELECT g.*, p.uid FROM given g JOIN people p ON p.uid = g.recipient_canonical
    JOIN share_recipient r ON r.share_id = g.id AND r.uid = p.uid
    WHERE g.share_type = ${USER} AND r.state = 0
    UNION ALL
    SELECT g.*, p.uid FROM given g JOIN group_member m ON m.gid = g.recipient_canonical JOIN people p ON p.uid = m.uid
    LEFT JOIN share_recipient r ON r.share_id = g.id AND r.uid = p.uid
    WHERE g.share_type = ${GROUP} AND coalesce(r.state, ${stateWithoutRow('g', 'p.uid')}) = 0
  )`;

/** Attributes of a share, or of an offer in the trash bin, as jsonb. */
const ATTRIBUTES = `coalesce(attributes, '[]')::jsonb`;

/** Attributes of a row, as text, together with the jsonb list `conditions`. */
const WITH_CONDITIONS = `(SELECT jsonb_agg(DISTINCT one) FROM jsonb_array_elements(${ATTRIBUTES} || conditions) one)::text`;

/** Whether `attributes` (jsonb) demand a second factor. */
const demandsFactor = (attributes: string): string =>
  `jsonb_path_exists(${attributes}, '$[*] ? (@.scope == "${SECOND_FACTOR.scope}" && @.key == "${SECOND_FACTOR.key}" && (@.enabled == true || @.enabled == "true"))')`;

/** Reshares: the access on which they depend, and its loss. */
export const RESHARES = `
CREATE OR REPLACE FUNCTION reshares_follow() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM setting WHERE app = 'files_sharing' AND key = 'reshares_without_access' AND value = 'follow');
END $$;

CREATE OR REPLACE FUNCTION granted_by_shares(asked_uid text, in_storage integer, at_path text, from_owner boolean) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RETURN (WITH RECURSIVE ${heldBy('SELECT initiator_uid AS uid FROM given UNION SELECT asked_uid', `AND ${notExpired('s')}`)}, reached AS (
    SELECT uid, path, permissions FROM held WHERE by_owner OR NOT from_owner
    UNION
    SELECT h.uid, h.path, h.permissions & r.permissions FROM reached r JOIN held h ON h.initiator_uid = r.uid
    WHERE NOT h.by_owner AND (h.permissions & r.permissions) > 0 AND (h.path = r.path OR starts_with(h.path, r.path || '/'))
  )
  SELECT coalesce(bit_or(permissions), 0) FROM reached WHERE uid = asked_uid);
END $$;

-- The shares by which somebody reaches a node, as grants. An expired share counts until it is swept: then its conditions are kept.
CREATE OR REPLACE FUNCTION held_grants(asked_uid text, in_storage integer, at_path text) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  RETURN (WITH ${heldBy('SELECT asked_uid AS uid')}
    SELECT json_agg(json_build_object('permissions', permissions, 'attributes', attributes)) FROM held);
END $$;

-- The grants of all people who shared a node on, or a node below it, by their ids; NULL: there are none. Offers that wait in the trash bin
-- count as shares. Elsewhere, nearly no owner has reshares, so that is asked first.
CREATE OR REPLACE FUNCTION held_by_resharers(id_of_node bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  top node%ROWTYPE;
BEGIN
  SELECT * INTO top FROM node WHERE id = id_of_node;
  IF NOT starts_with(top.path, '~') AND NOT EXISTS (SELECT FROM share s WHERE s.owner_uid = top.owner_uid AND s.initiator_uid <> s.owner_uid) THEN
    RETURN NULL;
  END IF;
  RETURN (WITH RECURSIVE ${subtreesOf('id = id_of_node')}
    SELECT json_object_agg(i.uid, held_grants(i.uid, top.storage_id, top.path)) FROM (
      SELECT s.initiator_uid AS uid FROM sub JOIN share s ON s.node_id = sub.id UNION SELECT o.initiator_uid FROM sub JOIN trashed_offer o ON o.node_id = sub.id
    ) i WHERE i.uid <> top.owner_uid);
END $$;

-- Adds conditions to a link or a share with a partner. The partner knows only the demand that its offer had.
CREATE OR REPLACE FUNCTION keep_conditions(of_share bigint, conditions jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE share SET attributes = ${WITH_CONDITIONS},
      demanded_later = demanded_later OR share_type = ${FEDERATED} AND ${demandsFactor('conditions')} AND NOT ${demandsFactor(ATTRIBUTES)}
    WHERE id = of_share AND share_type IN (${LINK}, ${FEDERATED}) AND NOT ${ATTRIBUTES} @> conditions;
END $$;

-- The same for offers that are made again when their node is restored, or is back already, of people who may not read it any more.
CREATE OR REPLACE FUNCTION keep_conditions_of_trashed_offers(in_storage integer, at_path text, initiators text[], conditions jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE trashed_offer o SET attributes = ${WITH_CONDITIONS}
    FROM node n
    WHERE o.initiator_uid = ANY(initiators) AND n.id = o.node_id AND n.storage_id = in_storage AND n.owner_uid <> o.initiator_uid
      AND (n.path = at_path OR starts_with(n.path, at_path || '/')) AND NOT ${ATTRIBUTES} @> conditions
      AND (granted_by_shares(o.initiator_uid, in_storage, n.path, false) & ${READ}) = 0;
END $$;

CREATE OR REPLACE FUNCTION lower_share(lowered_id bigint, allowed integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lowered share%ROWTYPE;
BEGIN
  UPDATE share SET permissions = permissions & allowed WHERE id = lowered_id AND (permissions & ~allowed) <> 0 RETURNING * INTO lowered;
  IF lowered.share_type = ${FEDERATED} THEN
    PERFORM note_share_event('lowered', 'share', to_jsonb(lowered));
  END IF;
END $$;

CREATE OR REPLACE FUNCTION lower_reshares_of_received_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lower_share(s.id, NEW.permissions) FROM share s
    WHERE (s.permissions & ~NEW.permissions) <> 0 AND s.via_owner IS DISTINCT FROM 'granted' AND s.node_id IN (
      SELECT n.id FROM storage st JOIN node n ON n.storage_id = st.id WHERE st.received_share_id = NEW.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER received_share_lowered AFTER UPDATE OF permissions ON received_share FOR EACH ROW
  WHEN ((OLD.permissions & ~NEW.permissions) <> 0) EXECUTE FUNCTION lower_reshares_of_received_share();

-- Applies the rule to reshares of a node and of all below it: by these people, or by all people where initiators is NULL.
-- A reshare that ends or is lowered here does the same to the reshares of its recipients. Links and shares with partners have the
-- conditions of their initiator as long as the initiator may read the node. From then on they have lost_attributes themselves.
CREATE OR REPLACE FUNCTION settle_reshares(in_storage integer, at_path text, initiators text[], lost_attributes text) RETURNS void LANGUAGE plpgsql AS $$
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
      IF (granted & ${READ}) = 0 THEN
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
END $$;

-- Nearly no owner has reshares. The search for them is planned for each call, so it costs a hundred times as much as the question
-- whether there are any. Where they follow, their search also takes the lock. Only a share that can be read has conditions for reshares.
CREATE OR REPLACE FUNCTION settle_reshares_of_share(lost share, uids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF reshares_follow() OR EXISTS (SELECT FROM share s WHERE s.owner_uid = lost.owner_uid AND s.initiator_uid <> s.owner_uid)
      OR lost.attributes IS NOT NULL AND EXISTS (SELECT FROM trashed_offer o WHERE o.initiator_uid = ANY(uids)) THEN
    PERFORM settle_reshares(n.storage_id, n.path, uids, CASE WHEN (lost.permissions & ${READ}) <> 0 THEN lost.attributes END) FROM node n WHERE n.id = lost.node_id;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION settle_after_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_reshares_of_share(OLD, CASE OLD.share_type WHEN ${USER} THEN ARRAY[OLD.recipient_canonical]
    ELSE ARRAY(SELECT uid FROM group_member WHERE gid = OLD.recipient_canonical) END);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_withdrawn AFTER DELETE ON share FOR EACH ROW WHEN (OLD.share_type IN ${PLACED_HERE})
  EXECUTE FUNCTION settle_after_share();
CREATE OR REPLACE TRIGGER share_narrowed AFTER UPDATE OF permissions, expires_on ON share FOR EACH ROW
  WHEN (OLD.share_type IN ${PLACED_HERE} AND ((OLD.permissions & ~NEW.permissions) <> 0 OR NEW.expires_on < current_date))
  EXECUTE FUNCTION settle_after_share();

CREATE OR REPLACE FUNCTION settle_after_decline() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_reshares_of_share(s, ARRAY[NEW.uid]) FROM share s WHERE s.id = NEW.share_id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_recipient_left AFTER UPDATE OF state ON share_recipient FOR EACH ROW
  WHEN (OLD.state = 0 AND NEW.state <> 0) EXECUTE FUNCTION settle_after_decline();

CREATE OR REPLACE FUNCTION settle_after_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_reshares_of_share(s, ARRAY[OLD.uid]) FROM share s WHERE s.share_type = ${GROUP} AND s.recipient_canonical = OLD.gid;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_member_left AFTER DELETE ON group_member FOR EACH ROW EXECUTE FUNCTION settle_after_membership();

-- What its initiator has may have become less since they asked, or nothing.
CREATE OR REPLACE FUNCTION refuse_reshare_without_access() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE OR REPLACE TRIGGER share_passed_on_made AFTER INSERT ON share FOR EACH ROW WHEN (NEW.initiator_uid <> NEW.owner_uid AND NEW.group_share_id IS NULL)
  EXECUTE FUNCTION refuse_reshare_without_access();

DROP FUNCTION IF EXISTS tell_owner_of_lost_access, lower_what_was_passed_on;
`;
