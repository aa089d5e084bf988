import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages to partners store their origin. */
export class OriginsOfMessages1764000000016 implements MigrationInterface {
  readonly name = 'OriginsOfMessages1764000000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ORIGINS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const ORIGINS = `
-- origin: the id of the request and its trace context; the default is that of the decision that writes the message.
ALTER TABLE outbox_message ADD COLUMN origin text COLLATE "C" CHECK (octet_length(origin) <= 128)
  DEFAULT nullif(current_setting('drawbridge.acting', true), '')::jsonb ->> 'origin';
`;
