import type { Database } from '../../database';
import { array, int8, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { actingText } from '../../acting-text';

/** Days for which the use of a doubted share is waited for. */
const DOUBT_DAYS = 7;

const END_UNUSED = statement({
  name: 'doubted_share.end_unused',
  params: { limit: int8, acting: text },
  row: { id: int8 },
  sql: `UPDATE share SET acceptance = 'left', acceptance_source = 'notification'
   WHERE id IN (SELECT id FROM share WHERE doubted_at <= now() - interval '${DOUBT_DAYS} days' AND acceptance = 'unknown'
     ORDER BY doubted_at LIMIT :limit FOR UPDATE SKIP LOCKED) AND ${ACTING}
   RETURNING id`,
});
const REMOVE = statement({
  name: 'doubted_share.remove',
  params: { ids: array(int8), acting: text },
  sql: `DELETE FROM share WHERE id = ANY(:ids::bigint[]) AND ${ACTING}`,
});

/**
 * Shares of ours that their recipient declined although they had accepted them, at a partner that may have been offered them
 * twice. The share stays where its content is read afterwards; otherwise it was this one that they left.
 */
export class DoubtedShareRepository {
  constructor(private readonly database: Database) {}

  /** Ends those that nobody read since. @returns how many, `limit` at most */
  endUnused(limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const unused = await transaction.rows(END_UNUSED, { limit, acting: actingText() });
      const ids = unused.map(({ id }) => id);
      if (ids.length > 0) await transaction.rows(REMOVE, { ids, acting: actingText() });
      return ids.length;
    });
  }
}
