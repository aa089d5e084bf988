import { SHARE_TYPES } from '#sharing';
import { PLACED_HERE } from '../repositories/shares/kind-sql';

/**
 * News for clients that stay connected: of changed files, places of shares and notifications. They are rows, since a commit with an announcement
 * waits for all others that have one. Ended sessions are announced.
 */
export const PUSHES = `
CREATE OR REPLACE FUNCTION add_news(about text, changed text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO push_news (topic, key) VALUES (about, changed) ON CONFLICT DO NOTHING;
END $$;
CREATE OR REPLACE FUNCTION add_news_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_news(TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.uid ELSE NEW.uid END);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION add_news_of_received() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_news('mounts', CASE TG_OP WHEN 'DELETE' THEN OLD.recipient_uid ELSE NEW.recipient_uid END);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION add_news_of_node() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_news('node', NEW.id::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER node_etag_changed AFTER UPDATE OF etag ON node FOR EACH ROW WHEN (OLD.etag <> NEW.etag)
  EXECUTE FUNCTION add_news_of_node();
DROP FUNCTION IF EXISTS announce_node;
CREATE OR REPLACE TRIGGER share_recipient_changed AFTER INSERT OR UPDATE OR DELETE ON share_recipient FOR EACH ROW
  EXECUTE FUNCTION add_news_of_account('mounts');
CREATE OR REPLACE TRIGGER received_share_placed AFTER INSERT OR DELETE OR UPDATE OF state, file_target, permissions
  ON received_share FOR EACH ROW EXECUTE FUNCTION add_news_of_received();
CREATE OR REPLACE TRIGGER notification_changed AFTER INSERT OR DELETE ON notification FOR EACH ROW
  EXECUTE FUNCTION add_news_of_account('notices');
CREATE OR REPLACE TRIGGER share_notice_was_dismissed AFTER INSERT ON share_notice_dismissed FOR EACH ROW
  EXECUTE FUNCTION add_news_of_account('notices');
CREATE OR REPLACE TRIGGER browser_session_ended AFTER DELETE ON browser_session FOR EACH ROW
  EXECUTE FUNCTION announce_change('session', 'id');

-- Members of a group have no rows of their own before they look. A changed share changes the place where it is mounted.
CREATE OR REPLACE FUNCTION add_news_of_share() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed share := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM add_news('activity', changed.owner_uid);
  IF changed.initiator_uid <> changed.owner_uid THEN
    PERFORM add_news('activity', changed.initiator_uid);
  END IF;
  IF TG_OP = 'UPDATE' THEN
    IF changed.share_type IN ${PLACED_HERE} THEN
      PERFORM add_news('node', changed.node_id::text);
    END IF;
  ELSIF changed.share_type = ${SHARE_TYPES.group} THEN
    PERFORM add_news('group-mounts', changed.recipient_canonical);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER share_changed AFTER INSERT OR DELETE OR UPDATE OF permissions, attributes, expires_on, acceptance, delivery_state
  ON share FOR EACH ROW EXECUTE FUNCTION add_news_of_share();
DROP FUNCTION IF EXISTS announce_share;
`;
