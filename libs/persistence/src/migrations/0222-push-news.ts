import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes for clients that stay connected, in a table instead of announcements: a commit with an announcement waits for all others that have one (ADR 0256). */
export class PushNews1764000000222 implements MigrationInterface {
  readonly name = 'PushNews1764000000222';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PUSH_NEWS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const PUSH_NEWS = `
-- written_by: the transaction that wrote it, for readers that continue where they stopped. Lost with a crash, as are the connections of the clients.
CREATE UNLOGGED TABLE push_news (
  written_by bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  topic text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (written_by, topic, key)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000);
`;
