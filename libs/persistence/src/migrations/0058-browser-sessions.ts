import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of browsers in which people are signed in. */
export class BrowserSessions1764000000058 implements MigrationInterface {
  readonly name = 'BrowserSessions1764000000058';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SESSIONS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SESSIONS = `
CREATE TABLE browser_session (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  password_digest bytea NOT NULL CHECK (octet_length(password_digest) = 32),
  user_agent text NOT NULL CHECK (char_length(user_agent) <= 256),
  address text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX browser_session_secret ON browser_session (secret_hash);
CREATE INDEX browser_session_by_account ON browser_session (uid);
CREATE INDEX browser_session_end ON browser_session (ends_at);
`;
