import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Storages count their files and folders, so that a limit on them is cheap to check. */
export class NodeCounts1764000000032 implements MigrationInterface {
  readonly name = 'NodeCounts1764000000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN);
    await runner.query(TRIGGERS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations are forward-only: restore a backup to go back'));
  }
}

const COLUMN = `
-- node_count: files and folders of the owner, without the root. NULL in a storage that is older than the count: the first writer
-- who needs it counts, under the lock of the storage. What is cached of a partner's content is not counted.
ALTER TABLE storage ADD COLUMN node_count bigint;
ALTER TABLE storage ALTER COLUMN node_count SET DEFAULT 0;
`;

/** Writers of own nodes already hold the lock of their storage, so the update does not wait. */
const TRIGGERS = `
CREATE FUNCTION count_added_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE storage s SET node_count = s.node_count + added.nodes
  FROM (SELECT storage_id, count(*) AS nodes FROM added_node WHERE received_share_id IS NULL AND path <> '' GROUP BY storage_id) added
  WHERE s.id = added.storage_id AND s.node_count IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER node_count_grows AFTER INSERT ON node REFERENCING NEW TABLE AS added_node
  FOR EACH STATEMENT EXECUTE FUNCTION count_added_nodes();

CREATE FUNCTION count_removed_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE storage s SET node_count = s.node_count - removed.nodes
  FROM (SELECT storage_id, count(*) AS nodes FROM removed_node WHERE received_share_id IS NULL AND path <> '' GROUP BY storage_id) removed
  WHERE s.id = removed.storage_id AND s.node_count IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER node_count_shrinks AFTER DELETE ON node REFERENCING OLD TABLE AS removed_node
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_nodes();

-- Of all that moves to another storage, only the top gets another parent: it stands for all below it.
CREATE FUNCTION count_moved_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  WITH RECURSIVE sub AS (
    SELECT NEW.id AS id
    UNION ALL
    SELECT n.id FROM node n JOIN sub ON n.parent_id = sub.id
  ) SELECT count(*) INTO moved FROM sub;
  UPDATE storage SET node_count = node_count + CASE id WHEN NEW.storage_id THEN moved ELSE -moved END
  WHERE id IN (OLD.storage_id, NEW.storage_id) AND node_count IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER node_count_moves AFTER UPDATE OF storage_id ON node FOR EACH ROW
  WHEN (NEW.storage_id <> OLD.storage_id AND NEW.parent_id IS DISTINCT FROM OLD.parent_id AND NEW.received_share_id IS NULL)
  EXECUTE FUNCTION count_moved_nodes();
`;
