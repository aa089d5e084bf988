import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of accounts, and the strength of sign-ins. */
export class SecondFactors1764000000075 implements MigrationInterface {
  readonly name = 'SecondFactors1764000000075';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SECOND_FACTORS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const STRENGTH = `strength text COLLATE "C" NOT NULL DEFAULT 'one_factor' CHECK (strength IN ('one_factor', 'two_factors'))`;

const SECOND_FACTORS = `
ALTER TABLE browser_session ADD COLUMN ${STRENGTH};
ALTER TABLE app_password ADD COLUMN ${STRENGTH};
ALTER TABLE login_flow ADD COLUMN ${STRENGTH};

CREATE TABLE totp (
  uid text COLLATE "C" PRIMARY KEY REFERENCES user_account (uid) ON DELETE CASCADE,
  sealed_secret bytea NOT NULL,
  last_step bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE recovery_code (
  code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
  uid text COLLATE "C" NOT NULL REFERENCES user_account (uid) ON DELETE CASCADE
);
CREATE INDEX recovery_code_by_account ON recovery_code (uid);
`;
