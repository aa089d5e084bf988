import type { Database } from '../../database';
import { array, int8, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { actingText } from '../../acting-text';

/** Days to wait for the use of a doubted share. */
const DOUBT_DAYS = 7;

const END_UNUSED = statement({
  name: 'doubted_share.end_unused',
  params: { limit: int8, acting: text },
  row: { id: int8 },
  sql: `UPDATE share SET acceptance = 'left', acceptance_source = 'notification'
   WHERE id = ANY (ARRAY(SELECT id FROM share WHERE doubted_at <= now() - interval '${DOUBT_DAYS} days' AND acceptance = 'unknown'
     ORDER BY doubted_at LIMIT :limit FOR UPDATE SKIP LOCKED)) AND ${ACTING}
   RETURNING id`,
});
const REMOVE = statement({
  name: 'doubted_share.remove',
  params: { ids: array(int8), acting: text },
  sql: `DELETE FROM share WHERE id = ANY(:ids::bigint[]) AND ${ACTING}`,
});

/**
 * Shares of ours that their recipient accepted and then declined, at a partner that may have received the offer
 * twice. If the content is read afterwards, the share stays; otherwise this copy is the declined one.
 */
export class DoubtedShareRepository {
  constructor(private readonly database: Database) {}

  /** Ends shares that nobody has read since. @returns how many, at most `limit` */
  endUnused(limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const unused = await transaction.rows(END_UNUSED, { limit, acting: actingText() });
      const ids = unused.map(({ id }) => id);
      if (ids.length > 0) await transaction.rows(REMOVE, { ids, acting: actingText() });
      return ids.length;
    });
  }
}
