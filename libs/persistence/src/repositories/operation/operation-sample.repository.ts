import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { float8, int4, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';

const SAMPLE_ROW = {
  /** Start of the period, in Unix seconds. */
  at: float8,
  /** Messages delivered per minute, on average. */
  delivered: float8,
  /** Messages given up or refused per minute, on average. */
  givenUp: float8,
  /** Maximum of waiting messages. */
  waiting: int4,
  /** Maximum of given-up messages. */
  dead: int4,
};
type OperationSample = RowOf<typeof SAMPLE_ROW>;

/** A minute has one row, however many workers write it. A minute without a running worker has none. */
const TAKE = statement({
  name: 'operation_sample.take',
  params: { keptDays: int4 },
  sql: `WITH forgotten AS (DELETE FROM operation_sample WHERE at < now() - :keptDays::int * interval '1 day')
   INSERT INTO operation_sample (at, delivered, given_up, waiting, dead)
   SELECT minute,
     (SELECT count(*) FROM outbox_message WHERE state = 'delivered' AND finished_at >= minute - interval '1 minute' AND finished_at < minute),
     (SELECT count(*) FROM outbox_message WHERE state IN ('dead', 'refused') AND finished_at >= minute - interval '1 minute' AND finished_at < minute),
     (SELECT count(*) FROM outbox_message WHERE state = 'pending') + (SELECT count(*) FROM outbox_message WHERE state IN ('queued', 'inflight')),
     (SELECT count(*) FROM outbox_message WHERE state = 'dead')
   FROM (SELECT date_trunc('minute', now()) AS minute) this ON CONFLICT (at) DO NOTHING`,
});
const READ = statement({
  name: 'operation_sample.read',
  params: { seconds: int4, spanSeconds: int4 },
  row: SAMPLE_ROW,
  sql: `SELECT extract(epoch FROM span)::float8 AS at, avg(delivered)::float8 AS delivered, avg(given_up)::float8 AS "givenUp",
     max(waiting) AS waiting, max(dead) AS dead
   FROM (SELECT date_bin(:spanSeconds::int * interval '1 second', at, 'epoch') AS span, delivered, given_up, waiting, dead
     FROM operation_sample WHERE at > now() - :seconds::int * interval '1 second') one GROUP BY span ORDER BY span`,
});

/** Figures of deliveries over time. */
@Injectable()
export class OperationSampleRepository {
  constructor(private readonly database: Database) {}

  /** Stores the figures of this minute, and deletes those that are older than `keptDays`. */
  async take(keptDays: number): Promise<void> {
    await this.database.rows(TAKE, { keptDays });
  }

  /** Samples of the last `seconds`, combined into periods of `spanSeconds`; the oldest first. */
  read(seconds: number, spanSeconds: number): Promise<OperationSample[]> {
    return this.database.rows(READ, { seconds, spanSeconds });
  }
}
