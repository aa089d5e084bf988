import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Shares of received nodes with a person on a third instance: the owner's server makes them if it can. The
 * messages between owner, initiator and recipient follow from the rows, whatever code changes these.
 */
export class Reshares1764000000008 implements MigrationInterface {
  readonly name = 'Reshares1764000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS);
    await runner.query(ENDS_AT_OWNER);
    await runner.query(NEWS_FOR_ASKER);
    await runner.query(FAILED_REQUESTS);
    await runner.query(LOWERED);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

/**
 * The subject `reshare` is a share as the partner that requested it knows it. It is separate, so that one absent
 * server does not hold up the other.
 */
const COLUMNS = `
-- via_owner: NULL where its recipient gets the content from us. 'asked': the server of its owner was asked to make the share;
-- 'granted': it did, under granted_id and with the granted secret; peer_id is that server then, and nobody knows our own secret.
-- remote_owner: its owner's cloud id. received_share_id: what is passed on so; kept when that is gone.
ALTER TABLE share
  ADD COLUMN via_owner text COLLATE "C" CHECK (via_owner IN ('asked', 'granted')),
  ADD COLUMN remote_owner text,
  ADD COLUMN received_share_id bigint,
  ADD COLUMN granted_id text COLLATE "C" CHECK (octet_length(granted_id) BETWEEN 1 AND 512),
  ADD COLUMN granted_token_hmac bytea,
  ADD COLUMN granted_token_enc bytea,
  ADD CONSTRAINT share_via_owner_side CHECK ((via_owner IS NOT NULL) = (received_share_id IS NOT NULL AND remote_owner IS NOT NULL)
    AND (via_owner IS NULL OR share_type = 6)),
  ADD CONSTRAINT share_granted_side CHECK (coalesce(via_owner = 'granted', false)
    = (granted_id IS NOT NULL AND granted_token_hmac IS NOT NULL AND granted_token_enc IS NOT NULL));
ALTER TABLE outbox_message
  DROP CONSTRAINT outbox_message_subject_type_check,
  ADD CONSTRAINT outbox_message_subject_type_check CHECK (subject_type IN ('share', 'received-share', 'reshare'));
DROP TRIGGER share_ended ON share;
CREATE TRIGGER share_ended AFTER DELETE ON share FOR EACH ROW WHEN (OLD.share_type = 6 AND OLD.via_owner IS NULL)
  EXECUTE FUNCTION tell_partner_of_end();
`;

/**
 * A request that may have arrived is repeated even if its share is gone: only its answer names the share to end.
 * The owner gets no message if they or the recipient ended it, or if the received share itself ended: a
 * share that they gave to others is theirs.
 */
const ENDS_AT_OWNER = `
CREATE FUNCTION tell_owner_of_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification
    WHERE uid = OLD.initiator_uid AND app = 'files_sharing' AND object_type = 'federated_share' AND object_id = OLD.id::text;
  UPDATE outbox_message SET state = 'superseded', finished_at = coalesce(finished_at, now()), lease_until = NULL
    WHERE subject_type = 'share' AND subject_id = OLD.id AND (state IN ('refused', 'dead', 'cancelled')
      OR (state IN ('pending', 'queued') AND (kind = 'reshare-permissions' OR (kind = 'reshare-request' AND NOT maybe_delivered))));
  IF OLD.via_owner <> 'granted' OR OLD.delivery_state = 'revoked' OR OLD.acceptance IN ('declined', 'left')
    OR NOT EXISTS (SELECT FROM received_share WHERE id = OLD.received_share_id AND state IN ('accepted', 'quarantined')) THEN
    RETURN NULL;
  END IF;
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  VALUES ('share', OLD.id, OLD.peer_id, 'reshare-undo', OLD.revision + 1, 'reshare-undo:share/' || OLD.id || ':' || OLD.revision + 1,
    jsonb_build_object('providerId', OLD.granted_id, 'grantee', OLD.recipient), OLD.granted_token_enc, now() + interval '30 days');
  RETURN NULL;
END $$;
CREATE TRIGGER share_via_owner_ended AFTER DELETE ON share FOR EACH ROW WHEN (OLD.via_owner IS NOT NULL)
  EXECUTE FUNCTION tell_owner_of_end();
`;

/**
 * The requester of a share gets messages about its recipient's decision and its end, unless they ended it themselves or have
 * no answer yet (requester_share_id is NULL until then).
 */
const NEWS_FOR_ASKER = `
CREATE FUNCTION tell_asker(told share, said text, at_revision integer, lifetime interval) RETURNS void LANGUAGE sql AS $$
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  VALUES ('reshare', told.id, told.requester_peer_id, said, at_revision, said || ':reshare/' || told.id || ':' || at_revision,
    jsonb_build_object('providerId', told.requester_share_id, 'grantee', told.recipient), told.token_enc, now() + lifetime)
  ON CONFLICT (dedupe_key) DO NOTHING
$$;

CREATE FUNCTION tell_asker_of_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE outbox_message SET state = 'superseded', finished_at = coalesce(finished_at, now()), lease_until = NULL
    WHERE subject_type = 'reshare' AND subject_id = OLD.id AND state IN ('pending', 'queued', 'refused', 'dead', 'cancelled');
  PERFORM tell_asker(OLD, CASE WHEN OLD.acceptance IN ('declined', 'left') THEN 'reshare-declined' ELSE 'reshare-undo' END,
    OLD.revision + 1, interval '30 days');
  RETURN NULL;
END $$;
CREATE TRIGGER share_asked_for_ended AFTER DELETE ON share FOR EACH ROW
  WHEN (OLD.share_type = 6 AND OLD.requester_peer_id IS NOT NULL AND OLD.requester_share_id IS NOT NULL)
  EXECUTE FUNCTION tell_asker_of_end();

CREATE FUNCTION tell_asker_of_acceptance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_asker(NEW, 'reshare-accepted', NEW.revision, interval '7 days');
  RETURN NULL;
END $$;
CREATE TRIGGER share_asked_for_accepted AFTER UPDATE OF acceptance, requester_share_id ON share FOR EACH ROW
  WHEN (NEW.requester_peer_id IS NOT NULL AND NEW.requester_share_id IS NOT NULL
    AND NEW.acceptance = 'accepted' AND (OLD.acceptance <> 'accepted' OR OLD.requester_share_id IS NULL))
  EXECUTE FUNCTION tell_asker_of_acceptance();
`;

/** The owner's server refused such a share: the share ends, and the requester gets a message. */
const FAILED_REQUESTS = `
CREATE FUNCTION end_what_was_asked_for() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.delivery_state = 'refused' THEN
    UPDATE share SET acceptance = 'declined' WHERE id = NEW.id;
  END IF;
  DELETE FROM share WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER share_not_delivered_to_asked AFTER UPDATE OF delivery_state ON share FOR EACH ROW
  WHEN (NEW.requester_peer_id IS NOT NULL AND NEW.delivery_state IN ('refused', 'dead') AND OLD.delivery_state <> NEW.delivery_state)
  EXECUTE FUNCTION end_what_was_asked_for();
`;

/** As before, but a share that the owner's server made for a third server is not lowered with the received one. */
const LOWERED = `
CREATE OR REPLACE FUNCTION lower_what_was_passed_on() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lowered share%ROWTYPE;
BEGIN
  FOR lowered IN
    UPDATE share SET permissions = permissions & NEW.permissions,
      revision = revision + CASE WHEN share_type = 6 AND via_owner IS NULL AND delivery_state <> 'refused' THEN 1 ELSE 0 END,
      delivery_state = CASE delivery_state WHEN 'delivered' THEN 'pending' ELSE delivery_state END
    WHERE (permissions & ~NEW.permissions) <> 0 AND via_owner IS DISTINCT FROM 'granted' AND node_id IN (
      SELECT n.id FROM storage st JOIN node n ON n.storage_id = st.id WHERE st.received_share_id = NEW.id)
    RETURNING *
  LOOP
    CONTINUE WHEN lowered.share_type <> 6 OR lowered.via_owner IS NOT NULL OR lowered.peer_id IS NULL
      OR lowered.delivery_state = 'refused';
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
`;
