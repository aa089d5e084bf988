import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Our users save public links of other servers. */
export class LinksOfOthers1764000000036 implements MigrationInterface {
  readonly name = 'LinksOfOthers1764000000036';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LINKS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const LINKS = `
-- A public link of another server that one of our users saves: its server is asked to offer a share, which is accepted for them.
-- sealed_keys: what opens the link, until its server was asked.
CREATE TABLE foreign_link (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid text COLLATE "C" NOT NULL REFERENCES user_account ON DELETE CASCADE,
  peer_id bigint NOT NULL REFERENCES peer ON DELETE CASCADE,
  token_hmac bytea NOT NULL,
  sealed_keys bytea,
  state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'asked', 'saved', 'refused')),
  reason text COLLATE "C" NOT NULL DEFAULT '',
  words text NOT NULL DEFAULT '',
  provider_id text COLLATE "C",
  received_share_id bigint REFERENCES received_share ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (uid, peer_id, token_hmac),
  CHECK ((state = 'waiting') = (sealed_keys IS NOT NULL)),
  CHECK ((state = 'saved') = (received_share_id IS NOT NULL))
);
CREATE INDEX foreign_link_age ON foreign_link (created_at) WHERE state <> 'saved';
CREATE INDEX foreign_link_by_share ON foreign_link (received_share_id) WHERE received_share_id IS NOT NULL;
CREATE TRIGGER foreign_link_settled AFTER UPDATE OF state ON foreign_link
  FOR EACH ROW EXECUTE FUNCTION announce_change('foreign-link', 'id');

CREATE FUNCTION audit_foreign_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit('foreign-link.save', 'partner', audit_host(NEW.peer_id), jsonb_build_object('reason', nullif(left(NEW.reason, 500), '')),
    CASE NEW.state WHEN 'saved' THEN 'done' ELSE 'refused' END, 'user', NEW.uid);
  RETURN NULL;
END $$;
CREATE TRIGGER foreign_link_audited AFTER UPDATE OF state ON foreign_link FOR EACH ROW
  WHEN (NEW.state <> OLD.state AND NEW.state IN ('saved', 'refused')) EXECUTE FUNCTION audit_foreign_link();
`;
