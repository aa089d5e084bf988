import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Shares that a partner's recipient declined or left stay readable for a while, and their initiators get a notification. */
export class EndedShares1764000000024 implements MigrationInterface {
  readonly name = 'EndedShares1764000000024';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(KEEP);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const TABLE = `
-- id: that of the share, which is gone.
CREATE TABLE ended_share (
  id bigint PRIMARY KEY,
  owner_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  initiator_uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  recipient text COLLATE "C" NOT NULL,
  node_id bigint NOT NULL,
  node_name text COLLATE "C" NOT NULL,
  node_kind text COLLATE "C" NOT NULL CHECK (node_kind IN ('file', 'folder')),
  permissions smallint NOT NULL CHECK (permissions BETWEEN 0 AND 31),
  expires_on date,
  created_at timestamptz NOT NULL,
  ended text COLLATE "C" NOT NULL CHECK (ended IN ('declined', 'left')),
  ended_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ended_share_by_initiator ON ended_share (initiator_uid);
CREATE INDEX ended_share_by_owner ON ended_share (owner_uid);
CREATE INDEX ended_share_age ON ended_share (ended_at);
`;

/** If the partner's server refused a share, its recipient did not decline it; the initiator gets another notification. */
const KEEP = `
CREATE FUNCTION keep_ended_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_share (id, owner_uid, initiator_uid, recipient, node_id, node_name, node_kind, permissions, expires_on, created_at, ended)
  SELECT OLD.id, OLD.owner_uid, OLD.initiator_uid, OLD.recipient, n.id, n.name, n.kind, OLD.permissions, OLD.expires_on,
    OLD.created_at, OLD.acceptance
  FROM node n WHERE n.id = OLD.node_id;
  IF FOUND THEN
    INSERT INTO notification (uid, app, object_type, object_id, subject)
    SELECT OLD.initiator_uid, 'files_sharing', 'ended_share', OLD.id::text,
      format('%s %s your share "%s"', OLD.recipient, OLD.acceptance, n.name)
    FROM node n WHERE n.id = OLD.node_id
    ON CONFLICT (uid, app, object_type, object_id) DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER share_ended_by_recipient AFTER DELETE ON share FOR EACH ROW
  WHEN (OLD.share_type = 6 AND OLD.acceptance IN ('declined', 'left') AND OLD.delivery_state <> 'refused')
  EXECUTE FUNCTION keep_ended_share();
`;
