import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Received federated shares as folders in their recipients' trees. Each has its own storage, whose nodes show what
 * its partner last answered. The storage is made and removed with the state of the share, whatever code changes it.
 */
export class RemoteMounts1764000000006 implements MigrationInterface {
  readonly name = 'RemoteMounts1764000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(STORAGES);
    await runner.query(ACCESS_TOKENS);
    await runner.query(COMING_AND_GOING);
    await runner.query(LOWERED);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const STORAGES = `
-- changed_at: when we last changed a partner's content; answers to earlier requests are out of date.
ALTER TABLE storage
  ADD COLUMN received_share_id bigint UNIQUE REFERENCES received_share ON DELETE CASCADE,
  ADD COLUMN changed_at timestamptz;
DROP INDEX storage_by_owner;
CREATE UNIQUE INDEX storage_by_owner ON storage (owner_uid) WHERE received_share_id IS NULL;

-- received_share_id repeats the storage's: whether the content is a partner's is read with the node.
-- partner_etag: what the partner called its state; a folder's own etag changes with all that is learned below it as well.
-- listed_at: when a partner's folder was last read with its entries; NULL for never.
ALTER TABLE node
  ADD COLUMN received_share_id bigint,
  ADD COLUMN partner_etag text,
  ADD COLUMN listed_at timestamptz,
  DROP CONSTRAINT node_check,
  ADD CONSTRAINT node_content CHECK (
    CASE WHEN received_share_id IS NULL THEN (kind = 'file') = (blob_key IS NOT NULL) ELSE blob_key IS NULL END);
CREATE UNIQUE INDEX node_of_received_share ON node (received_share_id) WHERE received_share_id IS NOT NULL AND parent_id IS NULL;
CREATE INDEX received_share_below ON received_share (recipient_uid, file_target) WHERE state IN ('accepted', 'quarantined');
`;

const ACCESS_TOKENS = `
ALTER TABLE received_share
  ADD COLUMN access_token_enc bytea,
  ADD COLUMN access_token_expires_at timestamptz;
`;

/** The update at the end makes storages for shares that are already accepted. */
const COMING_AND_GOING = `
CREATE FUNCTION mount_received_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state NOT IN ('accepted', 'quarantined') THEN
    DELETE FROM storage WHERE received_share_id = NEW.id;
    RETURN NULL;
  END IF;
  WITH made AS (
    INSERT INTO storage (key, owner_uid, received_share_id) VALUES ('received::' || NEW.id, NEW.recipient_uid, NEW.id)
    ON CONFLICT DO NOTHING RETURNING id
  )
  INSERT INTO node (storage_id, received_share_id, owner_uid, name, path, kind, mimetype, size, mtime, etag)
  SELECT id, NEW.id, NEW.recipient_uid, NEW.name, '', coalesce(NEW.kind, 'folder'),
    coalesce(NEW.mimetype, CASE NEW.kind WHEN 'file' THEN 'application/octet-stream' ELSE 'httpd/unix-directory' END),
    coalesce(NEW.size, 0), coalesce(NEW.mtime, NEW.received_at), coalesce(NEW.etag, md5(random()::text || id))
  FROM made;
  RETURN NULL;
END $$;
CREATE TRIGGER received_share_mounted AFTER INSERT OR UPDATE OF state ON received_share
  FOR EACH ROW EXECUTE FUNCTION mount_received_share();
UPDATE received_share SET state = state WHERE state IN ('accepted', 'quarantined');
`;

/**
 * Tells partners about lowered permissions; coalesces as libs/federation/delivery does for \`share-permissions\`. A spec compares the two.
 */
const LOWERED = `
CREATE FUNCTION lower_what_was_passed_on() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lowered share%ROWTYPE;
BEGIN
  FOR lowered IN
    UPDATE share SET permissions = permissions & NEW.permissions,
      revision = revision + CASE WHEN share_type = 6 AND delivery_state <> 'refused' THEN 1 ELSE 0 END,
      delivery_state = CASE delivery_state WHEN 'delivered' THEN 'pending' ELSE delivery_state END
    WHERE (permissions & ~NEW.permissions) <> 0 AND node_id IN (
      SELECT n.id FROM storage st JOIN node n ON n.storage_id = st.id WHERE st.received_share_id = NEW.id)
    RETURNING *
  LOOP
    CONTINUE WHEN lowered.share_type <> 6 OR lowered.peer_id IS NULL OR lowered.delivery_state = 'refused';
    PERFORM pg_advisory_xact_lock(hashtextextended('outbox/share/' || lowered.id, 0));
    UPDATE outbox_message SET state = 'superseded', finished_at = now(), lease_until = NULL
      WHERE subject_type = 'share' AND subject_id = lowered.id AND state IN ('pending', 'queued') AND kind = 'share-permissions';
    INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
    VALUES ('share', lowered.id, lowered.peer_id, 'share-permissions', lowered.revision,
      'share-permissions:share/' || lowered.id || ':' || lowered.revision,
      jsonb_build_object('providerId', lowered.id::text, 'grantee', lowered.recipient, 'permissions', lowered.permissions),
      lowered.token_enc, now() + interval '7 days');
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER received_share_lowered AFTER UPDATE OF permissions ON received_share FOR EACH ROW
  WHEN ((OLD.permissions & ~NEW.permissions) <> 0) EXECUTE FUNCTION lower_what_was_passed_on();
`;
