import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A share whose offer may have arrived twice, and that was declined once, stores the time of the decline: later use
 * proves that the other copy is in use.
 */
export class DoubtedShares1764000000038 implements MigrationInterface {
  readonly name = 'DoubtedShares1764000000038';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const COLUMN = `
-- doubted_at: when the recipient of an accepted share declined it, which may have been about a copy of it; NULL: they did not, or use it.
ALTER TABLE share ADD COLUMN doubted_at timestamptz;
CREATE INDEX share_doubted ON share (doubted_at) WHERE doubted_at IS NOT NULL;
`;
