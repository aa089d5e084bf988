import { violatesForeignKey, type Queryable } from '../../database';
import { int8, nullable, text, timestamptz, type RowOf, type ValuesOf } from '../../postgres-types';
import { statement, type RowIn } from '../../statement';

const CACHED = {
  etag: text,
  size: int8,
  mtime: nullable(timestamptz),
  blobKey: text,
  checkedAt: timestamptz,
};
/** Content of a partner's file that a user has read. */
export type CachedContent = RowOf<typeof CACHED>;

const FIND = statement({
  name: 'cached_content.find',
  params: { nodeId: int8 },
  row: CACHED,
  sql: `SELECT etag, size, mtime, blob_key AS "blobKey", checked_at AS "checkedAt" FROM cached_content WHERE node_id = :nodeId`,
});
const KEEP = statement({
  name: 'cached_content.keep',
  params: { nodeId: int8, etag: text, size: int8, mtime: nullable(timestamptz), blobKey: text },
  row: { replaced: nullable(text) },
  sql: `WITH before AS (SELECT blob_key FROM cached_content WHERE node_id = :nodeId)
   INSERT INTO cached_content (node_id, etag, size, mtime, blob_key) VALUES (:nodeId, :etag, :size, :mtime, :blobKey)
   ON CONFLICT (node_id) DO UPDATE SET etag = excluded.etag, size = excluded.size, mtime = excluded.mtime,
     blob_key = excluded.blob_key, checked_at = now()
   RETURNING (SELECT blob_key FROM before) AS replaced`,
});
// A locked row is being noted, replaced or removed by another transaction.
const NOTE_CHECK = statement({
  name: 'cached_content.note_check',
  params: { nodeId: int8 },
  sql: `UPDATE cached_content SET checked_at = now() WHERE id IN (
     SELECT id FROM cached_content WHERE node_id = :nodeId AND checked_at < now() - interval '5 minutes' FOR UPDATE SKIP LOCKED)`,
});
const REMOVE = statement({
  name: 'cached_content.remove',
  params: { nodeId: int8, blobKey: text },
  sql: `DELETE FROM cached_content WHERE node_id = :nodeId AND blob_key = :blobKey`,
});
// The contents that were current last remain.
const REMOVE_SURPLUS = statement({
  name: 'cached_content.remove_surplus',
  params: { bytes: int8, limit: int8 },
  row: { blobKey: text },
  sql: `DELETE FROM cached_content WHERE id IN (
     SELECT id FROM (
       SELECT id, checked_at, node_id, sum(size) OVER (ORDER BY checked_at DESC, id DESC) AS up_to_here
       FROM cached_content WHERE node_id IS NOT NULL
       UNION ALL SELECT id, '-infinity', NULL, NULL FROM cached_content WHERE node_id IS NULL) kept
     WHERE node_id IS NULL OR up_to_here > :bytes::bigint ORDER BY checked_at LIMIT :limit)
   RETURNING blob_key AS "blobKey"`,
});
const FIGURES = statement({
  name: 'cached_content.figures',
  row: { contents: int8, bytes: int8 },
  sql: `SELECT count(*) AS contents, coalesce(sum(size), 0)::bigint AS bytes FROM cached_content`,
});

/** Kept contents of partners' files, for the next readers. */
export class CachedContentRepository {
  constructor(private readonly database: Queryable) {}

  async find(nodeId: number): Promise<CachedContent | undefined> {
    return (await this.database.rows(FIND, { nodeId }))[0];
  }

  /**
   * Stores a content instead of the previous one.
   * @returns keys of contents without a reference: the previous one, or the new one if the file was deleted
   */
  async keep(content: ValuesOf<typeof KEEP.params>): Promise<readonly string[]> {
    try {
      const [row] = await this.database.rows(KEEP, content);
      return row?.replaced ? [row.replaced] : [];
    } catch (error) {
      if (violatesForeignKey(error)) return [content.blobKey];
      throw error;
    }
  }

  /** The partner confirmed that the content is current. */
  async noteCheck(nodeId: number): Promise<void> {
    await this.database.rows(NOTE_CHECK, { nodeId });
  }

  /** The blob store has lost the content. */
  async remove(nodeId: number, blobKey: string): Promise<void> {
    await this.database.rows(REMOVE, { nodeId, blobKey });
  }

  /**
   * Removes contents of deleted files, and the oldest ones beyond `bytes`, up to `limit` of them.
   * @returns the keys of their contents
   */
  async removeSurplus(bytes: number, limit: number): Promise<readonly string[]> {
    return (await this.database.rows(REMOVE_SURPLUS, { bytes, limit })).map(({ blobKey }) => blobKey);
  }

  /** Number and bytes of all. */
  async figures(): Promise<RowIn<typeof FIGURES>> {
    return (await this.database.rows(FIGURES))[0]!;
  }
}
