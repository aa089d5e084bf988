import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The files of a partner get their own gate, beside the gate of the messages. */
export class ContentGates1764000000029 implements MigrationInterface {
  readonly name = 'ContentGates1764000000029';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CONTENT_GATE);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const CONTENT_GATE = `
-- content_failures: requests for content in a row that got no answer; content_failed_at: when the last of them was noted.
-- content_shut_until: nobody asks for content before, and one at a time from then on until one is answered; NULL for open.
ALTER TABLE peer
  ADD COLUMN content_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN content_failed_at timestamptz,
  ADD COLUMN content_shut_until timestamptz;
`;
