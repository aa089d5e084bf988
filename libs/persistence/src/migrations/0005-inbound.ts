import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Look-ups for messages of partners that do not name their sender: only the shared secret identifies it. */
export class Inbound1764000000005 implements MigrationInterface {
  readonly name = 'Inbound1764000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LOOK_UPS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const LOOK_UPS = `
CREATE INDEX received_share_by_secret ON received_share (token_hmac, provider_id);
CREATE INDEX inbox_message_by_hash ON inbox_message (dedupe_hash);
`;
