import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Searches at other servers for the accounts of mail addresses, and their results for a bounded time. */
export class MailLookups1764000000220 implements MigrationInterface {
  readonly name = 'MailLookups1764000000220';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MAIL_LOOKUPS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const MAIL_LOOKUPS = `
CREATE TABLE mail_lookup (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  mail text COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(mail) BETWEEN 3 AND 1024),
  state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'found', 'none', 'failed')),
  cloud_id text COLLATE "C" CHECK (octet_length(cloud_id) BETWEEN 1 AND 2048),
  reason text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  CHECK ((state = 'found') = (cloud_id IS NOT NULL))
);
CREATE INDEX mail_lookup_expiry ON mail_lookup (expires_at);
`;
