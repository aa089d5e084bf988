import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The content of each received share gets its own gate, before the gate of its partner's host. */
export class GatesOfReceivedShares1764000000039 implements MigrationInterface {
  readonly name = 'GatesOfReceivedShares1764000000039';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SHARE_GATE);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SHARE_GATE = `
-- content_failures, content_failed_at, content_shut_until: as those of peer, for the content of this share alone.
ALTER TABLE received_share
  ADD COLUMN content_failures integer NOT NULL DEFAULT 0,
  ADD COLUMN content_failed_at timestamptz,
  ADD COLUMN content_shut_until timestamptz;
CREATE INDEX received_share_shut ON received_share (peer_id) WHERE content_shut_until IS NOT NULL;
`;
