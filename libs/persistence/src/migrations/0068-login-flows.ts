import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clients that wait for an app password. */
export class LoginFlows1764000000068 implements MigrationInterface {
  readonly name = 'LoginFlows1764000000068';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LOGIN_FLOWS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const LOGIN_FLOWS = `
CREATE TABLE login_flow (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  login_hash bytea NOT NULL CHECK (octet_length(login_hash) = 32),
  poll_hash bytea NOT NULL CHECK (octet_length(poll_hash) = 32),
  client text NOT NULL CHECK (char_length(client) BETWEEN 1 AND 128),
  address text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  uid text COLLATE "C" REFERENCES user_account (uid) ON DELETE CASCADE,
  read_only boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX login_flow_login ON login_flow (login_hash);
CREATE UNIQUE INDEX login_flow_poll ON login_flow (poll_hash);
CREATE INDEX login_flow_end ON login_flow (expires_at);
CREATE INDEX login_flow_by_account ON login_flow (uid) WHERE uid IS NOT NULL;
`;
