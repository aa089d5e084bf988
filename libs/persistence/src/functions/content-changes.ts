import { SHARE_TYPES } from '#sharing';

const IS_REPORTED = `s.share_type = ${SHARE_TYPES.federated} AND s.acceptance = 'accepted'`;

/** Records changes in the content of federated shares. `ContentChangeRepository` writes the messages about them. */
export const CONTENT_CHANGES = `
CREATE OR REPLACE FUNCTION record_content_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_first boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM changed_node n JOIN share s ON s.node_id = n.id AND ${IS_REPORTED}) THEN
    RETURN NULL;
  END IF;
  -- Planned for each statement: a plan for few nodes that is kept compares each of them with each other.
  EXECUTE $told$WITH written AS (
    INSERT INTO content_change AS c (share_id, path)
    SELECT s.id, (SELECT d.path FROM changed_node d WHERE d.storage_id = n.storage_id ORDER BY length(d.path) DESC, d.path LIMIT 1)
    FROM changed_node n JOIN former_node f ON f.id = n.id AND f.etag <> n.etag
    JOIN share s ON s.node_id = n.id AND ${IS_REPORTED}
    ORDER BY s.id
    -- An update, so that a reader of the change waits for the end of this transaction.
    ON CONFLICT (share_id) DO UPDATE SET revision = c.revision + 1,
      path = CASE WHEN c.told_revision = c.revision OR c.path = excluded.path THEN excluded.path END,
      changed_at = CASE WHEN c.told_revision = c.revision THEN excluded.changed_at ELSE c.changed_at END
    RETURNING revision = told_revision + 1 AS is_first
  ) SELECT bool_or(written.is_first) FROM written$told$ INTO is_first;
  IF is_first THEN
    PERFORM tell_after_commit('outbox:');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER node_content_changed AFTER UPDATE ON node REFERENCING OLD TABLE AS former_node NEW TABLE AS changed_node
  FOR EACH STATEMENT EXECUTE FUNCTION record_content_change();
`;
