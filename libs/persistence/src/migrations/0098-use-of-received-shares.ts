import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Time of the last use of received shares: shares in use are read more often. */
export class UseOfReceivedShares1764000000098 implements MigrationInterface {
  readonly name = 'UseOfReceivedShares1764000000098';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(USE_OF_RECEIVED_SHARES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const USE_OF_RECEIVED_SHARES = `
ALTER TABLE received_share ADD COLUMN used_at timestamptz;
CREATE INDEX received_share_in_use ON received_share (peer_id, used_at) WHERE used_at IS NOT NULL;
`;
