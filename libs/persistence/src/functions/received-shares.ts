import { FOLDER_MIMETYPE, UNKNOWN_MIMETYPE } from '#sharing';
import { MOUNTED } from '../received-states';

/** Mounts of received shares. Those that have only a web application get none. */
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

DROP TRIGGER IF EXISTS received_share_decided ON received_share;
DROP FUNCTION IF EXISTS look_at_what_is_mounted;
DROP TRIGGER IF EXISTS user_account_returned ON user_account;
DROP FUNCTION IF EXISTS look_for_who_returns;
`;
