import type { Queryable } from '../../database';
import { float8, int4, int8, nullable, text, textOf, timestamptz, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';
import { AUTHOR, AUTHOR_KIND } from './author-sql';

const QUARANTINED = {
  id: int8,
  keptAt: timestamptz,
  finding: text,
  ownerUid: text,
  path: text,
  size: int8,
  sha1: text,
  authorKind: nullable(textOf<'user' | 'visitor' | 'partner'>()),
  author: nullable(text),
  shareId: nullable(int8),
  blobKey: text,
};
/** An upload with a finding of the scanner. */
export type QuarantinedContent = RowOf<typeof QUARANTINED>;

const COLUMNS = `id, kept_at AS "keptAt", finding, owner_uid AS "ownerUid", path, size, sha1, author_kind AS "authorKind", author,
  share_id AS "shareId", blob_key AS "blobKey"`;

// Two simultaneous uploads may both find room: the limit can be exceeded by uploads under way.
const KEEP = statement({
  name: 'quarantine.keep',
  params: {
    ownerUid: text,
    path: text,
    finding: text,
    author: nullable(text),
    throughShare: nullable(int8),
    size: int8,
    sha1: text,
    blobKey: text,
    maxContents: int8,
    maxBytes: float8,
  },
  row: { id: int8 },
  sql: `INSERT INTO quarantined_content (owner_uid, path, finding, author_kind, author, share_id, size, sha1, blob_key)
   SELECT :ownerUid, :path, :finding, ${AUTHOR_KIND}, ${AUTHOR}, :throughShare::bigint, :size::bigint, :sha1, :blobKey
   WHERE (SELECT count(*) < :maxContents::bigint AND coalesce(sum(q.size), 0) + :size::bigint <= :maxBytes::float8 FROM quarantined_content q)
   RETURNING id`,
});

const LIST = statement({
  name: 'quarantine.list',
  params: { after: int8, limit: int8 },
  row: QUARANTINED,
  sql: `SELECT ${COLUMNS} FROM quarantined_content WHERE id > :after ORDER BY id LIMIT :limit`,
});

const FIND = statement({
  name: 'quarantine.find',
  params: { id: int8 },
  row: QUARANTINED,
  sql: `SELECT ${COLUMNS} FROM quarantined_content WHERE id = :id`,
});

const REMOVE = statement({
  name: 'quarantine.remove',
  params: { id: int8 },
  row: { blobKey: text },
  sql: 'DELETE FROM quarantined_content WHERE id = :id RETURNING blob_key AS "blobKey"',
});

const REMOVE_OLD = statement({
  name: 'quarantine.remove_old',
  params: { days: int4, limit: int8 },
  row: { blobKey: text },
  sql: `DELETE FROM quarantined_content WHERE id = ANY (ARRAY(
     SELECT id FROM quarantined_content WHERE kept_at < now() - make_interval(days => :days)
     ORDER BY kept_at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING blob_key AS "blobKey"`,
});

const FIGURES = statement({
  name: 'quarantine.figures',
  row: { contents: int8, bytes: int8 },
  sql: 'SELECT count(*) AS contents, coalesce(sum(size), 0)::bigint AS bytes FROM quarantined_content',
});

interface NewContent {
  readonly ownerUid: string;
  readonly path: string;
  readonly finding: string;
  /** User who sent it; null if it came through a share. */
  readonly author: string | null;
  readonly throughShare: number | null;
  readonly size: number;
  readonly sha1: string;
  readonly blobKey: string;
}

/** Limits of the quarantine. */
export interface QuarantineBounds {
  readonly maxContents: number;
  readonly maxBytes: number;
}

/** Uploads with a finding of the scanner. No view of files shows them. */
export class QuarantineRepository {
  constructor(private readonly database: Queryable) {}

  /** @returns its id; undefined if there is no room for it */
  async keep(content: NewContent, bounds: QuarantineBounds): Promise<number | undefined> {
    return (await this.database.rows(KEEP, { ...content, ...bounds }))[0]?.id;
  }

  /** A page behind an id, in the order of ids. */
  list(after: number, limit: number): Promise<QuarantinedContent[]> {
    return this.database.rows(LIST, { after, limit });
  }

  async find(id: number): Promise<QuarantinedContent | undefined> {
    return (await this.database.rows(FIND, { id }))[0];
  }

  /** @returns the key of its content; undefined if it is already gone */
  async remove(id: number): Promise<string | undefined> {
    return (await this.database.rows(REMOVE, { id }))[0]?.blobKey;
  }

  /** Removes some older contents. @returns the keys of their contents */
  async removeOld(days: number, limit: number): Promise<string[]> {
    return (await this.database.rows(REMOVE_OLD, { days, limit })).map(({ blobKey }) => blobKey);
  }

  async figures(): Promise<{ readonly contents: number; readonly bytes: number }> {
    return (await this.database.rows(FIGURES))[0]!;
  }
}
