import { SHARE_TYPES } from '#sharing';
import { PLACED_HERE } from '../repositories/shares/kind-sql';

/** Announcements for clients that stay connected: of changed files, places of shares, notifications, and ended sessions. */
export const PUSHES = `
CREATE OR REPLACE FUNCTION announce_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('drawbridge_changes', 'node:' || NEW.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER node_etag_changed AFTER UPDATE OF etag ON node FOR EACH ROW WHEN (OLD.etag <> NEW.etag)
  EXECUTE FUNCTION announce_node();
CREATE OR REPLACE TRIGGER share_recipient_changed AFTER INSERT OR UPDATE OR DELETE ON share_recipient FOR EACH ROW
  EXECUTE FUNCTION announce_change('mounts', 'uid');
CREATE OR REPLACE TRIGGER received_share_placed AFTER INSERT OR DELETE OR UPDATE OF state, file_target, permissions
  ON received_share FOR EACH ROW EXECUTE FUNCTION announce_change('mounts', 'recipient_uid');
CREATE OR REPLACE TRIGGER notification_changed AFTER INSERT OR DELETE ON notification FOR EACH ROW
  EXECUTE FUNCTION announce_change('notices', 'uid');
CREATE OR REPLACE TRIGGER share_notice_was_dismissed AFTER INSERT ON share_notice_dismissed FOR EACH ROW
  EXECUTE FUNCTION announce_change('notices', 'uid');
CREATE OR REPLACE TRIGGER browser_session_ended AFTER DELETE ON browser_session FOR EACH ROW
  EXECUTE FUNCTION announce_change('session', 'id');

-- Members of a group have no rows of their own before they look. A changed share changes the place where it is mounted.
CREATE OR REPLACE FUNCTION announce_share() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed share := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM pg_notify('drawbridge_changes', 'activity:' || changed.owner_uid);
  IF changed.initiator_uid <> changed.owner_uid THEN
    PERFORM pg_notify('drawbridge_changes', 'activity:' || changed.initiator_uid);
  END IF;
  IF TG_OP = 'UPDATE' THEN
    IF changed.share_type IN ${PLACED_HERE} THEN
      PERFORM pg_notify('drawbridge_changes', 'node:' || changed.node_id);
    END IF;
  ELSIF changed.share_type = ${SHARE_TYPES.group} THEN
    PERFORM pg_notify('drawbridge_changes', 'group-mounts:' || changed.recipient_canonical);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_changed AFTER INSERT OR DELETE OR UPDATE OF permissions, attributes, expires_on, acceptance, delivery_state
  ON share FOR EACH ROW EXECUTE FUNCTION announce_share();
`;
