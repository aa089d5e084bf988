import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Our own keys for signing messages to partners, and the accepted signed messages of partners. */
export class Signatures1764000000009 implements MigrationInterface {
  readonly name = 'Signatures1764000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SIGNING_KEYS);
    await runner.query(SEEN_SIGNATURES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SIGNING_KEYS = `
-- id: thumbprint of the public key. retired_at: neither signs nor is published from then on.
CREATE TABLE signing_key (
  id text COLLATE "C" PRIMARY KEY,
  algorithm text COLLATE "C" NOT NULL CHECK (algorithm IN ('rsa-sha512', 'ecdsa-p256-sha256', 'ed25519')),
  sealed_private_key bytea NOT NULL,
  public_jwk jsonb NOT NULL,
  not_before timestamptz NOT NULL,
  retired_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Of two that are made at once, one is none.
CREATE UNIQUE INDEX signing_key_current ON signing_key (algorithm) WHERE retired_at IS NULL;
CREATE TRIGGER signing_key_changed AFTER INSERT OR UPDATE OR DELETE ON signing_key
  FOR EACH ROW EXECUTE FUNCTION announce_change('signing-key', 'algorithm');
`;

const SEEN_SIGNATURES = `
CREATE TABLE seen_signature (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  until timestamptz NOT NULL
);
CREATE INDEX seen_signature_age ON seen_signature (until);
`;
