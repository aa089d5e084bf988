import { policyFrom, READ, SHARE_TYPES } from '#sharing';

const { days: DEFAULT_DAYS } = policyFrom(new Map()).expiry.remote;

/** Ends of shares: deleted nodes, saved links, and shares that their recipients leave or decline. */
export const SHARES = `
-- A share of a node that is being deleted waits here for the deletion, and then finds the node gone.
CREATE OR REPLACE FUNCTION refuse_share_of_trashed_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The condition is not part of the query's own conditions: a row that does not meet those yet would not be waited for.
  IF (SELECT starts_with(path, '~') FROM node WHERE id = NEW.node_id FOR KEY SHARE) THEN
    RAISE foreign_key_violation USING MESSAGE = 'the node is in the trash bin';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER share_of_trashed_node BEFORE INSERT ON share FOR EACH ROW EXECUTE FUNCTION refuse_share_of_trashed_node();

-- The last day that a federated share may have, by the rule in SharingPolicy.expiry.remote; NULL if it is not enforced.
CREATE OR REPLACE FUNCTION latest_remote_expiry() RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF (SELECT count(*) FROM setting WHERE app = 'core' AND value = 'yes'
      AND key IN ('shareapi_default_expire_date_remote_share', 'shareapi_enforce_expire_date_remote_share')) < 2 THEN
    RETURN NULL;
  END IF;
  RETURN current_date + coalesce((SELECT value::integer FROM setting
    WHERE app = 'core' AND key = 'shareapi_expire_after_n_days_remote_share'), ${DEFAULT_DAYS});
END $$;

-- A saved link never allows more than the link does now, and ends where it could not be saved any more: if the link cannot be read, or
-- has a password with which it was not saved. That also holds for an offer of it that is made again when its node is restored; offers come
-- first here, because they become shares.
CREATE OR REPLACE FUNCTION link_narrows_saved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  saved share%ROWTYPE;
  last_day date := least(NEW.expires_on, latest_remote_expiry());
BEGIN
  IF NEW.password_hash IS NOT NULL AND NEW.password_hash IS DISTINCT FROM OLD.password_hash THEN
    DELETE FROM trashed_offer WHERE link_id = NEW.id;
    DELETE FROM share WHERE link_id = NEW.id;
    RETURN NULL;
  END IF;
  DELETE FROM trashed_offer WHERE link_id = NEW.id AND (permissions & NEW.permissions & ${READ}) = 0;
  UPDATE trashed_offer SET permissions = permissions & NEW.permissions,
      expires_on = CASE WHEN NEW.expires_on IS DISTINCT FROM OLD.expires_on THEN last_day ELSE expires_on END
    WHERE link_id = NEW.id;
  DELETE FROM share WHERE link_id = NEW.id AND (permissions & NEW.permissions & ${READ}) = 0;
  PERFORM lower_share(s.id, NEW.permissions) FROM share s WHERE s.link_id = NEW.id;
  FOR saved IN
    UPDATE share SET expires_on = last_day
    WHERE NEW.expires_on IS DISTINCT FROM OLD.expires_on AND link_id = NEW.id AND expires_on IS DISTINCT FROM last_day RETURNING *
  LOOP
    PERFORM note_share_event('expiry-changed', 'share', to_jsonb(saved));
  END LOOP;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER link_narrows_saved AFTER UPDATE OF permissions, expires_on, password_hash ON share
  FOR EACH ROW WHEN (NEW.share_type = ${SHARE_TYPES.link} AND (NEW.permissions, NEW.expires_on, NEW.password_hash)
    IS DISTINCT FROM (OLD.permissions, OLD.expires_on, OLD.password_hash))
  EXECUTE FUNCTION link_narrows_saved();

CREATE OR REPLACE FUNCTION record_end_by_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_share (id, owner_uid, initiator_uid, recipient, node_id, node_name, node_kind, permissions, expires_on, created_at, ended, reason)
  SELECT OLD.id, OLD.owner_uid, OLD.initiator_uid, OLD.recipient, n.id, n.name, n.kind, OLD.permissions, OLD.expires_on,
    OLD.created_at, OLD.acceptance, OLD.decline_reason
  FROM node n WHERE n.id = OLD.node_id;
  IF FOUND THEN
    PERFORM note_share_event('ended-by-recipient', 'share', to_jsonb(OLD));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_ended_by_recipient AFTER DELETE ON share FOR EACH ROW
  WHEN (OLD.share_type = ${SHARE_TYPES.federated} AND OLD.acceptance IN ('declined', 'left') AND OLD.delivery_state <> 'refused'
    AND OLD.group_share_id IS NULL)
  EXECUTE FUNCTION record_end_by_recipient();

DROP FUNCTION IF EXISTS keep_ended_share;
`;
