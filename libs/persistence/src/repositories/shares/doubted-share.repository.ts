import type { Database } from '../../database';
import { decision } from '../../statement';

/** Days for which the use of a doubted share is waited for. */
const DOUBT_DAYS = 7;

const END_UNUSED = decision<{ id: number }>(
  'doubted_share.end_unused',
  (acting) => `UPDATE share SET acceptance = 'left', acceptance_source = 'notification'
   WHERE id IN (SELECT id FROM share WHERE doubted_at <= now() - interval '${DOUBT_DAYS} days' AND acceptance = 'unknown'
     ORDER BY doubted_at LIMIT $1 FOR UPDATE SKIP LOCKED) AND ${acting}
   RETURNING id`,
);
const REMOVE = decision(
  'doubted_share.remove',
  (acting) => `DELETE FROM share WHERE id = ANY($1::bigint[]) AND ${acting}`,
);

/**
 * Shares of ours that their recipient declined although they had accepted them, at a partner that may have been offered them
 * twice. The share stays where its content is read afterwards; otherwise it was this one that they left.
 */
export class DoubtedShareRepository {
  constructor(private readonly database: Database) {}

  /** Ends those that nobody read since. @returns how many, `limit` at most */
  endUnused(limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const unused = await transaction.rows(END_UNUSED, [limit]);
      const ids = unused.map(({ id }) => id);
      if (ids.length > 0) await transaction.rows(REMOVE, [ids]);
      return ids.length;
    });
  }
}
