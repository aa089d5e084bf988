import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events of shares and received shares, from which messages to partners are written. */
export class ShareEvents1764000000048 implements MigrationInterface {
  readonly name = 'ShareEvents1764000000048';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EVENTS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const EVENTS = `
CREATE TABLE share_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  subject_type text COLLATE "C" NOT NULL CONSTRAINT share_event_subject_type_check CHECK (subject_type IN ('share', 'received-share')),
  subject_id bigint NOT NULL,
  revision integer NOT NULL,
  actor jsonb DEFAULT nullif(current_setting('drawbridge.acting', true), '')::jsonb,
  subject jsonb NOT NULL,
  sealed_secret bytea,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX share_event_by_subject ON share_event (subject_id, subject_type);
`;
