import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { array, int4, int8, nullable, type RowOf, text, textOf } from '../../postgres-types';
import { statement } from '../../statement';

/**
 * Kind of a change: `node` has a new ETag (its id is the key); the received shares (`mounts`), the notifications (`notices`) or the given shares
 * (`activity`) of an account changed (its user id); the received shares of a group changed (`group-mounts`, its id).
 */
export type NewsTopic = 'node' | 'mounts' | 'group-mounts' | 'notices' | 'activity';

const NEWS = { writtenBy: int8, topic: textOf<NewsTopic>(), key: text };
type News = RowOf<typeof NEWS>;

/** The point up to which news were read. */
export interface NewsPosition {
  /** All earlier transactions had ended. */
  readonly from: number;
  /** Later transactions whose news were read. */
  readonly seen: readonly number[];
}

export interface ReadNews {
  readonly news: readonly News[];
  readonly position: NewsPosition;
  /** false: some news are left out, because there are too many of them or a transaction takes too long. */
  readonly isComplete: boolean;
}

const HORIZON = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

const BEGIN = statement({
  name: 'push_news.begin',
  row: { from: int8, seen: array(int8) },
  sql: `SELECT ${HORIZON} AS "from",
   ARRAY(SELECT DISTINCT written_by FROM push_news WHERE written_by >= ${HORIZON}) AS seen`,
});

/** Has one row without news if there are none, for the new position. */
const READ = statement({
  name: 'push_news.read',
  params: { from: int8, seen: array(int8), limit: int8 },
  row: {
    horizon: int8,
    writtenBy: nullable(int8),
    topic: nullable(NEWS.topic),
    key: nullable(NEWS.key),
  },
  sql: `SELECT ${HORIZON} AS horizon, news.written_by AS "writtenBy", news.topic, news.key
   FROM (VALUES (1)) one LEFT JOIN LATERAL (SELECT written_by, topic, key FROM push_news
     WHERE written_by >= :from AND written_by <> ALL (:seen::bigint[]) ORDER BY written_by LIMIT :limit) news ON true`,
});

const FORGET = statement({
  name: 'push_news.forget',
  params: { seconds: int4, limit: int8 },
  row: { writtenBy: int8 },
  // By their keys, Postgres would read all news to find the chosen ones: it expects a tenth of them. Nothing changes a row, so its place stays.
  sql: `DELETE FROM push_news WHERE ctid = ANY(ARRAY(
     SELECT ctid FROM push_news WHERE written_at < now() - :seconds::int * interval '1 second'
     ORDER BY written_by LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING written_by AS "writtenBy"`,
});

/** Time for which news are kept, in seconds. A reader that paused for longer may have missed some. */
export const NEWS_KEPT_SECONDS = 60;

/** Changes for clients that stay connected, written by triggers. */
@Injectable()
export class PushNewsRepository {
  constructor(private readonly database: Database) {}

  /** @returns the present position: all news that are written later will be read from it */
  async begin(): Promise<NewsPosition> {
    return (await this.database.rows(BEGIN))[0]!;
  }

  /**
   * Reads what was committed since a position. Transactions end in another order than they begin, so those after the horizon are remembered.
   * @param limit maximum of news, and of remembered transactions
   */
  async read({ from, seen }: NewsPosition, limit: number): Promise<ReadNews> {
    const rows = await this.database.rows(READ, { from, seen, limit });
    const news = rows.flatMap(({ writtenBy, topic, key }) =>
      writtenBy !== null && topic !== null && key !== null ? [{ writtenBy, topic, key }] : [],
    );
    if (news.length === limit) return { news: [], position: await this.begin(), isComplete: false };
    const horizon = Math.max(from, rows[0]!.horizon);
    const read = new Set([...seen, ...news.map(({ writtenBy }) => writtenBy)]);
    const later = [...read].filter((one) => one >= horizon);
    if (later.length < limit) return { news, position: { from: horizon, seen: later }, isComplete: true };
    const last = later.reduce((one, other) => Math.max(one, other));
    return { news, position: { from: last + 1, seen: [] }, isComplete: false };
  }

  /** Deletes at most `limit` old news. @returns how many */
  async forget(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { seconds: NEWS_KEPT_SECONDS, limit })).length;
  }
}
