import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages about changes of a federated share, whatever code makes the change: a share ends in many ways (its owner, its
 * expiry, a lost file or account), and no writer can forget the message to the partner.
 */
export class FederatedShares1764000000004 implements MigrationInterface {
  readonly name = 'FederatedShares1764000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ENDS);
    await runner.query(FAILURES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

/**
 * Coalesces messages as libs/federation/delivery does for `share-unshare`; a spec compares the two. A message that a lost worker
 * may have sent counts as sent.
 */
const ENDS = `
CREATE FUNCTION tell_partner_of_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  never_heard boolean;
BEGIN
  DELETE FROM notification
    WHERE uid = OLD.initiator_uid AND app = 'files_sharing' AND object_type = 'federated_share' AND object_id = OLD.id::text;
  WITH replaced AS (
    UPDATE outbox_message SET state = 'superseded', finished_at = now(), lease_until = NULL
    WHERE subject_type = 'share' AND subject_id = OLD.id AND state IN ('pending', 'queued')
      AND kind IN ('share-create', 'share-permissions', 'share-unshare')
    RETURNING kind, attempts, maybe_delivered
  )
  SELECT EXISTS (SELECT FROM replaced WHERE kind = 'share-create' AND attempts = 0 AND NOT maybe_delivered) INTO never_heard;
  never_heard := never_heard OR OLD.delivery_state = 'refused' OR (OLD.delivery_state = 'dead' AND OLD.delivered_at IS NULL
    AND NOT EXISTS (SELECT FROM outbox_message
      WHERE subject_type = 'share' AND subject_id = OLD.id AND kind = 'share-create' AND maybe_delivered));
  -- Messages that were given up are not replayed for a share that is gone.
  UPDATE outbox_message SET state = 'superseded' WHERE subject_type = 'share' AND subject_id = OLD.id AND state IN ('refused', 'dead', 'cancelled')
    AND kind IN ('share-create', 'share-permissions');
  -- A partner that ended it itself is not answered with another message.
  IF never_heard OR OLD.peer_id IS NULL OR OLD.acceptance IN ('declined', 'left') THEN
    RETURN NULL;
  END IF;
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  VALUES ('share', OLD.id, OLD.peer_id, 'share-unshare', OLD.revision + 1, 'share-unshare:share/' || OLD.id || ':' || OLD.revision + 1,
    jsonb_build_object('providerId', OLD.id::text, 'grantee', OLD.recipient), OLD.token_enc, now() + interval '30 days');
  RETURN NULL;
END $$;
CREATE TRIGGER share_ended AFTER DELETE ON share FOR EACH ROW WHEN (OLD.share_type = 6) EXECUTE FUNCTION tell_partner_of_end();
`;

const FAILURES = `
CREATE FUNCTION tell_initiator_of_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification (uid, app, object_type, object_id, subject, message)
  SELECT NEW.initiator_uid, 'files_sharing', 'federated_share', NEW.id::text,
    format(CASE NEW.delivery_state WHEN 'refused' THEN 'Your share "%s" was refused for %s'
      ELSE 'Your share "%s" could not be delivered to %s' END, n.name, NEW.recipient),
    coalesce(NEW.delivery_error, '')
  FROM node n WHERE n.id = NEW.node_id
  ON CONFLICT (uid, app, object_type, object_id) DO UPDATE
    SET subject = EXCLUDED.subject, message = EXCLUDED.message, created_at = now();
  RETURN NULL;
END $$;
CREATE TRIGGER share_not_delivered AFTER UPDATE OF delivery_state ON share FOR EACH ROW
  WHEN (NEW.share_type = 6 AND NEW.delivery_state IN ('refused', 'dead') AND OLD.delivery_state <> NEW.delivery_state)
  EXECUTE FUNCTION tell_initiator_of_failure();
`;
