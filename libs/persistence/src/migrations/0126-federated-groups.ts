import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Members of groups at partners, and the federated shares that follow a share with such a group. */
export class FederatedGroups1764000000126 implements MigrationInterface {
  readonly name = 'FederatedGroups1764000000126';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FEDERATED_GROUPS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const FEDERATED_GROUPS = `
CREATE TABLE group_remote_member (
  gid text COLLATE "C" NOT NULL REFERENCES user_group (gid) ON DELETE CASCADE,
  canonical text COLLATE "C" NOT NULL CHECK (octet_length(canonical) <= 512),
  cloud_id text NOT NULL CHECK (char_length(cloud_id) <= 512),
  peer_id bigint NOT NULL REFERENCES peer (id),
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (gid, canonical)
);
CREATE INDEX group_remote_member_by_peer ON group_remote_member (peer_id);
ALTER TABLE share ADD COLUMN group_share_id bigint REFERENCES share (id) ON DELETE CASCADE;
CREATE INDEX share_by_group_share ON share (group_share_id, id) WHERE group_share_id IS NOT NULL;
CREATE TABLE group_recipient (
  group_share_id bigint NOT NULL REFERENCES share (id) ON DELETE CASCADE,
  canonical text COLLATE "C" NOT NULL,
  recipient text NOT NULL,
  share_id bigint REFERENCES share (id) ON DELETE SET NULL,
  ended text COLLATE "C" CHECK (ended IN ('declined', 'left')),
  reason text,
  ended_at timestamptz,
  PRIMARY KEY (group_share_id, canonical)
);
CREATE UNIQUE INDEX group_recipient_by_share ON group_recipient (share_id) WHERE share_id IS NOT NULL;
CREATE TABLE group_share_due (
  share_id bigint PRIMARY KEY REFERENCES share (id) ON DELETE CASCADE,
  tell_after bigint,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor jsonb DEFAULT (NULLIF(current_setting('drawbridge.acting', true), ''))::jsonb
);
CREATE INDEX group_share_due_at ON group_share_due (due_at);
`;
