import { FOLDER_MIMETYPE, UNKNOWN_MIMETYPE } from '#sharing';
import { LISTED, MOUNTED } from '../received-states';
import { EXPIRING_SHARE, expiringReceived, NOTIFYING_APP } from '../repositories/accounts/notified-objects';

/** Mounts of received shares, and the ends of reminders about them. Those that have only a web application get no mount. */
export const RECEIVED_SHARES = `
CREATE OR REPLACE FUNCTION mount_received_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state NOT IN ${MOUNTED} THEN
    DELETE FROM storage WHERE received_share_id = NEW.id;
    RETURN NULL;
  END IF;
  IF NEW.access ->> 'hasFiles' = 'false' THEN
    RETURN NULL;
  END IF;
  WITH made AS (
    INSERT INTO storage (key, owner_uid, received_share_id) VALUES ('received::' || NEW.id, NEW.recipient_uid, NEW.id)
    ON CONFLICT DO NOTHING RETURNING id
  )
  INSERT INTO node (storage_id, received_share_id, owner_uid, name, path, kind, mimetype, size, mtime, etag)
  SELECT id, NEW.id, NEW.recipient_uid, NEW.name, '', coalesce(NEW.kind, 'folder'),
    coalesce(NEW.mimetype, CASE NEW.kind WHEN 'file' THEN '${UNKNOWN_MIMETYPE}' ELSE '${FOLDER_MIMETYPE}' END),
    coalesce(NEW.size, 0), coalesce(NEW.mtime, NEW.received_at), coalesce(NEW.etag, md5(random()::text || id))
  FROM made;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER received_share_mounted AFTER INSERT OR UPDATE OF state ON received_share
  FOR EACH ROW EXECUTE FUNCTION mount_received_share();

CREATE OR REPLACE FUNCTION remove_reminder_of_received_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.expires_at IS NOT DISTINCT FROM OLD.expires_at AND NEW.state IN ${LISTED} THEN
    RETURN NULL;
  END IF;
  DELETE FROM notification WHERE uid = OLD.recipient_uid AND app = '${NOTIFYING_APP}'
    AND object_type = '${EXPIRING_SHARE}' AND object_id = '${expiringReceived('')}' || OLD.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER received_share_reminder_ended AFTER DELETE OR UPDATE OF expires_at, state ON received_share FOR EACH ROW
  WHEN (OLD.reminded_of IS NOT NULL) EXECUTE FUNCTION remove_reminder_of_received_share();

DROP TRIGGER IF EXISTS received_share_decided ON received_share;
DROP FUNCTION IF EXISTS look_at_what_is_mounted;
DROP TRIGGER IF EXISTS user_account_returned ON user_account;
DROP FUNCTION IF EXISTS look_for_who_returns;
`;
