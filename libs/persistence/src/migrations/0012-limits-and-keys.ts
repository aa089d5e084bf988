import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Budgets of callers without an account, and the key for lookups, which outlives the encryption key. */
export class LimitsAndKeys1764000000012 implements MigrationInterface {
  readonly name = 'LimitsAndKeys1764000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CALL_BUDGETS);
    await runner.query(LOOKUP_KEY);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const CALL_BUDGETS = `
-- level: points that were spent and have not come back at spent_at. Lost with a crash: such a loss does no harm.
CREATE UNLOGGED TABLE call_budget (
  bucket text COLLATE "C" PRIMARY KEY,
  level double precision NOT NULL,
  spent_at timestamptz NOT NULL DEFAULT now()
);
`;

const LOOKUP_KEY = `
-- The key of all *_hmac columns, sealed; NULL until the first process of this version starts.
ALTER TABLE instance ADD COLUMN sealed_lookup_key bytea;
`;
