import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The recipient of a share that the owner's server made for us gets our message about its end, if that server sends none. */
export class EndsOfReshares1764000000033 implements MigrationInterface {
  readonly name = 'EndsOfReshares1764000000033';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN);
    await runner.query(KNOWN_RESHARES);
    await runner.query(TELL_RECIPIENT);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const COLUMN = `
-- recipient_peer_id: the recipient's server, where the owner's server made the share and leaves it to us to tell of its end.
ALTER TABLE share ADD COLUMN recipient_peer_id bigint REFERENCES peer (id) ON DELETE SET NULL;
`;

/** Reshares that were granted before: only our own product is known to tell recipients itself. */
const KNOWN_RESHARES = `
UPDATE share s SET recipient_peer_id = p.id FROM peer p, peer o
  WHERE s.via_owner = 'granted' AND o.id = s.peer_id AND coalesce(coalesce(o.pinned_profile, o.profile) ->> 'product', '') <> 'drawbridge'
    AND p.host_key = substring(s.recipient_canonical FROM '@([^@]+)$');
`;

/** Uses another subject than the message to the owner's server, so that one absent server does not hold up the other. */
const TELL_RECIPIENT = `
CREATE OR REPLACE FUNCTION tell_owner_of_end() RETURNS trigger LANGUAGE plpgsql AS $$
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
  SELECT told.subject, OLD.id, told.peer_id, told.kind, OLD.revision + 1,
    told.kind || ':' || told.subject || '/' || OLD.id || ':' || OLD.revision + 1,
    jsonb_build_object('providerId', OLD.granted_id, 'grantee', OLD.recipient), OLD.granted_token_enc, now() + interval '30 days'
  FROM (VALUES ('share', OLD.peer_id, 'reshare-undo'), ('reshare', OLD.recipient_peer_id, 'share-unshare'))
    AS told (subject, peer_id, kind)
  WHERE told.peer_id IS NOT NULL;
  RETURN NULL;
END $$;
`;
