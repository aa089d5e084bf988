import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes in the content of federated shares that partners get messages about. */
export class ContentChanges1764000000097 implements MigrationInterface {
  readonly name = 'ContentChanges1764000000097';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(CONTENT_CHANGES);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const CONTENT_CHANGES = `
CREATE TABLE content_change (
  share_id bigint PRIMARY KEY REFERENCES share (id) ON DELETE CASCADE,
  revision integer NOT NULL DEFAULT 1,
  told_revision integer NOT NULL DEFAULT 0,
  path text COLLATE "C",
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX content_change_untold ON content_change (changed_at) WHERE told_revision < revision;
`;
