import { SHARE_TYPES } from '#sharing';

const { group: GROUP, federated: FEDERATED } = SHARE_TYPES;

/** Whether a share `s` is with a group that has members at partners. */
const HAS_REMOTE_MEMBERS = `s.share_type = ${GROUP} AND EXISTS (SELECT FROM group_remote_member m WHERE m.gid = s.recipient_canonical)`;

/**
 * Shares with groups that have members at partners. `GroupFanOutRepository` creates the federated shares of these
 * members.
 */
export const GROUP_SHARES = `
CREATE OR REPLACE FUNCTION note_group_share_due(id_of_share bigint, tells boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO group_share_due AS d (share_id, tell_after) VALUES (id_of_share, CASE WHEN tells THEN 0 END)
  -- An update, so that a reader of what is due waits for the end of this transaction.
  ON CONFLICT (share_id) DO UPDATE SET due_at = excluded.due_at, actor = excluded.actor,
    tell_after = CASE WHEN tells THEN 0 ELSE d.tell_after END;
END $$;

CREATE OR REPLACE FUNCTION note_remote_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_group_share_due(s.id, false) FROM share s
    WHERE s.share_type = ${GROUP} AND s.recipient_canonical IN (SELECT gid FROM changed_member) ORDER BY s.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_remote_member_joined AFTER INSERT ON group_remote_member REFERENCING NEW TABLE AS changed_member
  FOR EACH STATEMENT EXECUTE FUNCTION note_remote_membership();
CREATE OR REPLACE TRIGGER group_remote_member_left AFTER DELETE ON group_remote_member REFERENCING OLD TABLE AS changed_member
  FOR EACH STATEMENT EXECUTE FUNCTION note_remote_membership();

CREATE OR REPLACE FUNCTION note_group_share() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
CREATE OR REPLACE TRIGGER group_share_made AFTER INSERT ON share FOR EACH ROW WHEN (NEW.share_type = ${GROUP}) EXECUTE FUNCTION note_group_share();
CREATE OR REPLACE TRIGGER group_share_changed AFTER UPDATE OF permissions, expires_on, attributes, note, trashed_at ON share FOR EACH ROW
  WHEN (NEW.share_type = ${GROUP} AND (NEW.permissions, NEW.expires_on, NEW.attributes, NEW.note, NEW.trashed_at)
    IS DISTINCT FROM (OLD.permissions, OLD.expires_on, OLD.attributes, OLD.note, OLD.trashed_at))
  EXECUTE FUNCTION note_group_share();

-- Members who joined while the shares gave no access get their offers when they do again.
CREATE OR REPLACE FUNCTION note_group_shares_of_return() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_group_share_due(s.id, false) FROM share s JOIN node n ON n.id = s.node_id
    WHERE s.owner_uid = NEW.recipient_uid AND n.received_share_id = NEW.id AND ${HAS_REMOTE_MEMBERS} ORDER BY s.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER received_share_returned AFTER UPDATE OF expires_at, permissions, file_target ON received_share FOR EACH ROW
  WHEN (NEW.expires_at IS DISTINCT FROM OLD.expires_at OR (NEW.permissions & ~OLD.permissions) <> 0
    OR OLD.file_target IS NULL AND NEW.file_target IS NOT NULL)
  EXECUTE FUNCTION note_group_shares_of_return();

CREATE OR REPLACE FUNCTION note_group_shares_of_enabled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_group_share_due(s.id, false) FROM share s
    WHERE s.initiator_uid = NEW.uid AND ${HAS_REMOTE_MEMBERS} ORDER BY s.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER maker_of_group_shares_enabled AFTER UPDATE OF enabled ON user_account FOR EACH ROW
  WHEN (NEW.enabled AND NOT OLD.enabled) EXECUTE FUNCTION note_group_shares_of_enabled();

-- Its former owner may be a member, who had no row for it.
CREATE OR REPLACE FUNCTION unsettle_former_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE group_member SET settled_up_to = least(settled_up_to, NEW.id - 1) WHERE gid = NEW.recipient_canonical AND uid = OLD.owner_uid;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER group_share_changed_owner AFTER UPDATE OF owner_uid ON share FOR EACH ROW
  WHEN (NEW.share_type = ${GROUP} AND NEW.owner_uid <> OLD.owner_uid) EXECUTE FUNCTION unsettle_former_owner();

-- Members who ended their share themselves, or whose share expired, are remembered, so that they are not offered it again.
CREATE OR REPLACE FUNCTION keep_end_of_group_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.acceptance IN ('declined', 'left') AND OLD.delivery_state <> 'refused' THEN
    UPDATE group_recipient SET share_id = NULL, ended = OLD.acceptance, reason = OLD.decline_reason, ended_at = now() WHERE share_id = OLD.id;
  ELSIF OLD.expires_on < current_date THEN
    UPDATE group_recipient SET share_id = NULL, ended = 'expired', ended_at = now() WHERE share_id = OLD.id;
  ELSE
    DELETE FROM group_recipient WHERE share_id = OLD.id;
  END IF;
  RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER share_of_group_ended BEFORE DELETE ON share FOR EACH ROW
  WHEN (OLD.share_type = ${FEDERATED} AND OLD.group_share_id IS NOT NULL) EXECUTE FUNCTION keep_end_of_group_recipient();

CREATE OR REPLACE TRIGGER group_share_due_written AFTER INSERT OR UPDATE ON group_share_due
  FOR EACH STATEMENT EXECUTE FUNCTION announce_outbox();
`;
