import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys: second factors in browsers and security keys. */
export class Passkeys1764000000116 implements MigrationInterface {
  readonly name = 'Passkeys1764000000116';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PASSKEYS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const PASSKEYS = `
CREATE TABLE passkey (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
  public_key bytea NOT NULL CHECK (octet_length(public_key) <= 4096),
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64),
  challenged_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz
);
CREATE INDEX passkey_by_account ON passkey (uid);
`;
