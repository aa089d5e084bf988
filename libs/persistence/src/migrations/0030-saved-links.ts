import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A public link can be saved at another server: the result is a federated share that ends with the link. */
export class SavedLinks1764000000030 implements MigrationInterface {
  readonly name = 'SavedLinks1764000000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SAVED_LINKS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const SAVED_LINKS = `
-- link_id: the public link that a federated share was made of. Its end ends the share, and the trigger of ends tells the partner.
ALTER TABLE share ADD COLUMN link_id bigint REFERENCES share (id) ON DELETE CASCADE;
CREATE INDEX share_by_link ON share (link_id) WHERE link_id IS NOT NULL;

-- A saved link never allows more than its link does now. A password that is set or changed ends what was saved without
-- it.
CREATE FUNCTION link_narrows_saved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.password_hash IS NOT NULL AND NEW.password_hash IS DISTINCT FROM OLD.password_hash THEN
    DELETE FROM share WHERE link_id = NEW.id;
  ELSE
    UPDATE share SET permissions = permissions & NEW.permissions, expires_on = NEW.expires_on WHERE link_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER link_narrows_saved AFTER UPDATE OF permissions, expires_on, password_hash ON share
  FOR EACH ROW WHEN (NEW.share_type = 3 AND (NEW.permissions, NEW.expires_on, NEW.password_hash)
    IS DISTINCT FROM (OLD.permissions, OLD.expires_on, OLD.password_hash))
  EXECUTE FUNCTION link_narrows_saved();
`;
