import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passwords for single clients. */
export class AppPasswords1764000000067 implements MigrationInterface {
  readonly name = 'AppPasswords1764000000067';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(APP_PASSWORDS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const APP_PASSWORDS = `
CREATE TABLE app_password (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 128),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ '{files,sharing,administration}'::text[]),
  read_only boolean NOT NULL DEFAULT false,
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz
);
CREATE UNIQUE INDEX app_password_secret ON app_password (secret_hash);
CREATE INDEX app_password_by_account ON app_password (uid, id);
`;
