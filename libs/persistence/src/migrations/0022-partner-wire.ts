import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts about messages to partners: signature scheme, names of persons, and messages that were not sent. */
export class PartnerWire1764000000022 implements MigrationInterface {
  readonly name = 'PartnerWire1764000000022';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(BY_PROVIDER_ID);
    await runner.query(CONTACTS);
    await runner.query(NOT_SENT);
    await runner.query(CHOICES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const BY_PROVIDER_ID = `
-- A signed message may name a share by its id alone.
CREATE INDEX received_share_by_provider_id ON received_share (provider_id, peer_id);
`;

const CONTACTS = `
-- person: the one spelling of the account that all others are compared by; NULL where it is remote_user itself.
ALTER TABLE contact ADD COLUMN person text COLLATE "C" CHECK (octet_length(person) BETWEEN 1 AND 1024);

-- OpenCloud encodes its user ids as base64url of 'id@https://idp'. Those that a server of the same name, or a UUID, stands in
-- are the account 'id'; everything else is none.
CREATE FUNCTION pg_temp.person_in(encoded text, host text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  plain text;
  parts text[];
BEGIN
  plain := convert_from(decode(rpad(translate(rtrim(encoded, '='), '-_', '+/'),
    (length(rtrim(encoded, '=')) + 3) / 4 * 4, '='), 'base64'), 'UTF8');
  parts := regexp_match(plain, '^([^@[:cntrl:]]+)@(?:https?://)?([^/@[:space:]]+)/?$');
  IF parts IS NULL THEN RETURN NULL; END IF;
  IF lower(parts[2]) = host OR parts[1] ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN RETURN parts[1]; END IF;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;
UPDATE contact c SET person = pg_temp.person_in(c.remote_user, p.host_key) FROM peer p
  WHERE p.id = c.peer_id AND c.remote_user ~ '^[A-Za-z0-9+/_-]{8,}={0,2}$';
`;

const NOT_SENT = `
ALTER TABLE outbox_message DROP CONSTRAINT outbox_message_state_check,
  ADD CONSTRAINT outbox_message_state_check CHECK (state IN
    ('pending', 'queued', 'inflight', 'delivered', 'not-sent', 'refused', 'dead', 'cancelled', 'superseded')) NOT VALID;
ALTER TABLE share DROP CONSTRAINT share_delivery_state_check,
  ADD CONSTRAINT share_delivery_state_check CHECK (delivery_state IN
    ('pending', 'delivered', 'not-sent', 'refused', 'retrying', 'dead', 'revoking', 'revoked')) NOT VALID;
`;

const CHOICES = `
-- sign_by: how messages to this partner are signed; NULL where its announcements decide.
-- ignores_unreadable_signatures: whether signatures of its messages that cannot be read count as none.
ALTER TABLE peer
  ADD COLUMN sign_by text COLLATE "C" CHECK (sign_by IN ('cavage', 'rfc9421', 'none')),
  ADD COLUMN ignores_unreadable_signatures boolean NOT NULL DEFAULT false;
`;
