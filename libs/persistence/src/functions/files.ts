import { UPDATE } from '#sharing';
import { below, GRANTS, MOUNT_DIGEST, MOUNTS } from '../repositories/files/mount-sql';
import { subtreesOf } from '../repositories/files/subtree-sql';
import { coverageOf } from '../repositories/shares/coverage-sql';

/**
 * Questions about mounts that few paths need, and the number of nodes in each storage. A statement that calls such a function starts faster
 * than one that contains its query, which Postgres would prepare each time.
 */
export const FILES = `
-- The mount of the reader that leads farthest among these paths; the digests are those of the paths with a mount, each of which is looked up alone.
CREATE OR REPLACE FUNCTION mount_at(reader text, hashes uuid[], targets text[])
  RETURNS TABLE (target text, storage_id integer, root_path text, grants json) LANGUAGE plpgsql STABLE ROWS 1 AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT m.target, m.storage_id, m.root_path, ${GRANTS}
  FROM unnest((SELECT hashes)) hash CROSS JOIN LATERAL (
    SELECT * FROM ${MOUNTS} WHERE m.uid = (SELECT reader) AND m.target_hash = hash AND m.target = ANY((SELECT targets)::text[]) OFFSET 0
  ) m
  GROUP BY m.target, m.root_id, m.storage_id, m.root_path
  ORDER BY char_length(m.target) DESC, m.root_id
  LIMIT 1;
END $$;

-- Digest of the mounts below a folder of the reader's own storage; NULL if there are none.
CREATE OR REPLACE FUNCTION mount_digest_below(reader text, folder text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT ${MOUNT_DIGEST} FROM ${MOUNTS} WHERE m.uid = reader AND ${below('m.target', 'folder')});
END $$;

-- The ways in which the reader has a node through accepted shares, as a list; NULL for none.
CREATE OR REPLACE FUNCTION coverage_of(reader text, of_node bigint) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT json_agg(way) FROM (${coverageOf('(SELECT reader)', '(SELECT ARRAY[of_node])::bigint[]')}) way);
END $$;

-- Whether a node was shared with the writer, itself or above it, with the permission to change it.
CREATE OR REPLACE FUNCTION may_write_by_mount(writer text, in_storage integer, node_path text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM ${MOUNTS}
    WHERE m.uid = writer AND m.storage_id = in_storage AND (m.permissions & ${UPDATE}) > 0
      AND (node_path = m.root_path OR starts_with(node_path, m.root_path || '/')));
END $$;

CREATE OR REPLACE FUNCTION count_added_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE storage s SET node_count = s.node_count + added.nodes
  FROM (SELECT storage_id, count(*) AS nodes FROM added_node WHERE received_share_id IS NULL AND path <> '' GROUP BY storage_id) added
  WHERE s.id = added.storage_id AND s.node_count IS NOT NULL;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER node_count_grows AFTER INSERT ON node REFERENCING NEW TABLE AS added_node
  FOR EACH STATEMENT EXECUTE FUNCTION count_added_nodes();

CREATE OR REPLACE FUNCTION count_removed_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE storage s SET node_count = s.node_count - removed.nodes
  FROM (SELECT storage_id, count(*) AS nodes FROM removed_node WHERE received_share_id IS NULL AND path <> '' GROUP BY storage_id) removed
  WHERE s.id = removed.storage_id AND s.node_count IS NOT NULL;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER node_count_shrinks AFTER DELETE ON node REFERENCING OLD TABLE AS removed_node
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_nodes();

-- Only the top of a moved tree gets another parent, so it is counted with all nodes below it.
CREATE OR REPLACE FUNCTION count_moved_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  WITH RECURSIVE ${subtreesOf('id = NEW.id')} SELECT count(*) INTO moved FROM sub;
  UPDATE storage SET node_count = node_count + CASE id WHEN NEW.storage_id THEN moved ELSE -moved END
  WHERE id IN (OLD.storage_id, NEW.storage_id) AND node_count IS NOT NULL;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER node_count_moves AFTER UPDATE OF storage_id ON node FOR EACH ROW
  WHEN (NEW.storage_id <> OLD.storage_id AND NEW.parent_id IS DISTINCT FROM OLD.parent_id AND NEW.received_share_id IS NULL)
  EXECUTE FUNCTION count_moved_nodes();
`;
