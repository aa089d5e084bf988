import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions store the sign-in at the issuer behind them, and identities the time of a sign-out there. */
export class SignInsAtIssuers1764000000071 implements MigrationInterface {
  readonly name = 'SignInsAtIssuers1764000000071';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SIGN_INS_AT_ISSUERS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SIGN_INS_AT_ISSUERS = `
ALTER TABLE browser_session ADD COLUMN issuer text COLLATE "C" CHECK (char_length(issuer) <= 512);
ALTER TABLE browser_session ADD COLUMN issuer_session text COLLATE "C" CHECK (char_length(issuer_session) <= 255);
CREATE INDEX browser_session_by_issuer_session ON browser_session (issuer_session) WHERE issuer_session IS NOT NULL;
ALTER TABLE external_identity ADD COLUMN told_at timestamptz, ADD COLUMN signed_out_at timestamptz;
`;
