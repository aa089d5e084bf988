import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Trust in partners in each direction, contacts among their people, and secrets shared with them. */
export class PartnerTrust1764000000011 implements MigrationInterface {
  readonly name = 'PartnerTrust1764000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OUTGOING_TRUST);
    await runner.query(CONTACTS);
    await runner.query(HANDSHAKES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const OUTGOING_TRUST = `
-- trust is for both directions; outgoing_trust, where it is set, for what is given.
ALTER TABLE peer ADD COLUMN outgoing_trust text COLLATE "C"
  CHECK (outgoing_trust IN ('unknown', 'allowed', 'denied', 'invited', 'trusted'));
CREATE TRIGGER peer_outgoing_trust_changed AFTER UPDATE OF outgoing_trust ON peer
  FOR EACH ROW EXECUTE FUNCTION announce_change('peer', 'host_key');
`;

const CONTACTS = `
-- A person at a partner who accepted an invitation of uid, or invited that user.
CREATE TABLE contact (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  peer_id bigint NOT NULL REFERENCES peer ON DELETE CASCADE,
  remote_user text COLLATE "C" NOT NULL CHECK (octet_length(remote_user) BETWEEN 1 AND 1024),
  display_name text NOT NULL DEFAULT '',
  email text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (uid, peer_id, remote_user)
);
CREATE INDEX contact_by_peer ON contact (peer_id);

-- sealed_token: only as long as it is to be mailed.
CREATE TABLE invitation (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  token_hmac bytea NOT NULL UNIQUE,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  mail_to text CHECK (char_length(mail_to) <= 254),
  sealed_token bytea,
  mail_attempts integer NOT NULL DEFAULT 0,
  mail_at timestamptz,
  CHECK ((mail_at IS NULL) = (sealed_token IS NULL))
);
CREATE INDEX invitation_to_mail ON invitation (mail_at) WHERE mail_at IS NOT NULL;
CREATE INDEX invitation_by_user ON invitation (uid, id);
CREATE INDEX invitation_age ON invitation (expires_at);

-- An invitation of a partner that one of our users accepts; its token is kept until the partner was told.
CREATE TABLE invitation_acceptance (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  peer_id bigint NOT NULL REFERENCES peer ON DELETE CASCADE,
  sealed_token bytea,
  state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'accepted', 'refused')),
  reason text NOT NULL DEFAULT '',
  contact_id bigint REFERENCES contact ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((state = 'waiting') = (sealed_token IS NOT NULL))
);
CREATE INDEX invitation_acceptance_age ON invitation_acceptance (created_at);
CREATE TRIGGER invitation_acceptance_settled AFTER UPDATE OF state ON invitation_acceptance
  FOR EACH ROW EXECUTE FUNCTION announce_change('invitation', 'id');
`;

const HANDSHAKES = `
-- asking: we ask the partner to fetch a secret from us; asked: it took that; declined: it will ask us; fetching: we fetch
-- one from it. due_at is when we act next. A secret holds until there is a new one.
CREATE TABLE trusted_handshake (
  peer_id bigint PRIMARY KEY REFERENCES peer ON DELETE CASCADE,
  state text COLLATE "C" NOT NULL DEFAULT 'asking' CHECK (state IN ('asking', 'asked', 'declined', 'fetching', 'done', 'failed')),
  sealed_own_token bytea,
  sealed_partner_token bytea,
  secret_hmac bytea,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz,
  reason text NOT NULL DEFAULT '',
  changed_at timestamptz NOT NULL DEFAULT now(),
  CHECK (state <> 'done' OR secret_hmac IS NOT NULL)
);
CREATE INDEX trusted_handshake_by_secret ON trusted_handshake (secret_hmac) WHERE secret_hmac IS NOT NULL;
CREATE INDEX trusted_handshake_due ON trusted_handshake (due_at) WHERE due_at IS NOT NULL;
`;
