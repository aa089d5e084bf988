import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Received shares that end with their recipient's account: the partner gets a message, whatever code removes the account. */
export class EndsOfReceivedShares1764000000007 implements MigrationInterface {
  readonly name = 'EndsOfReceivedShares1764000000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ENDS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

/**
 * Coalesces messages as libs/federation/delivery does for `received-decline`; a spec compares the two. A declined or withdrawn
 * share has already ended for the partner. Servers identify the recipient of a decline by the secret, so the
 * recipient's address is not needed.
 */
const ENDS = `
CREATE FUNCTION tell_partner_of_lost_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('outbox/received-share/' || OLD.id, 0));
  UPDATE outbox_message SET state = 'superseded', finished_at = now(), lease_until = NULL
    WHERE subject_type = 'received-share' AND subject_id = OLD.id AND state IN ('pending', 'queued')
      AND kind IN ('received-accept', 'received-decline');
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  VALUES ('received-share', OLD.id, OLD.peer_id, 'received-decline', OLD.revision + 1,
    'received-decline:received-share/' || OLD.id || ':' || OLD.revision + 1,
    jsonb_build_object('providerId', OLD.provider_id, 'grantee', NULL), OLD.token_enc, now() + interval '7 days');
  RETURN NULL;
END $$;
CREATE TRIGGER received_share_lost AFTER DELETE ON received_share FOR EACH ROW
  WHEN (OLD.state IN ('pending', 'accepted', 'quarantined')) EXECUTE FUNCTION tell_partner_of_lost_recipient();
`;
