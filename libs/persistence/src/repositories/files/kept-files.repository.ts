import type { Queryable } from '../../database';
import { int8, nullable, textOf, timestamptz } from '../../postgres-types';
import { statement, type RowIn } from '../../statement';

const FIGURES = statement({
  name: 'kept_files.figures',
  row: {
    id: textOf<'versions' | 'trash'>(),
    entries: int8,
    bytes: int8,
    oldest: nullable(timestamptz),
  },
  sql: `SELECT 'versions' AS id, count(*) AS entries, coalesce(sum(size), 0)::bigint AS bytes, min(stored_at) AS oldest FROM file_version
   UNION ALL
   SELECT 'trash', count(*), coalesce(sum(n.size), 0)::bigint, min(t.deleted_at) FROM trashed_node t JOIN node n ON n.id = t.node_id`,
});

/** Contents besides those of present files: earlier versions, and deleted files. */
export class KeptFilesRepository {
  constructor(private readonly database: Queryable) {}

  /** Their number and bytes, of all accounts; this reads the whole of both tables. */
  figures(): Promise<RowIn<typeof FIGURES>[]> {
    return this.database.rows(FIGURES);
  }
}
