import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Shares whose secret has to be exchanged for an access token, and opens nothing itself. */
export class TokenExchange1764000000014 implements MigrationInterface {
  readonly name = 'TokenExchange1764000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DEMAND);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const DEMAND = `
-- Set before the partner is told so, and never taken back: it was told once.
ALTER TABLE share ADD COLUMN must_exchange boolean NOT NULL DEFAULT false;
`;
