import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database } from '../../database';
import { array, int4, type RowOf, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';

const THROTTLE_COUNT = {
  bucket: text,
  failures: int4,
  seconds_left: int4,
};
export type ThrottleCount = RowOf<typeof THROTTLE_COUNT>;

// Rows are locked in the order of their key, so that two requests never wait for each other.
const COUNT = statement({
  name: 'throttle.count',
  params: { buckets: array(text), seconds: array(int4) },
  row: THROTTLE_COUNT,
  sql: `INSERT INTO throttle AS t (bucket, failures, window_ends_at)
   SELECT bucket, 1, now() + seconds * interval '1 second' FROM unnest(:buckets::text[], :seconds::int[]) AS wanted (bucket, seconds) ORDER BY bucket
   ON CONFLICT (bucket) DO UPDATE SET
     failures = CASE WHEN t.window_ends_at < now() THEN 1 ELSE t.failures + 1 END,
     window_ends_at = CASE WHEN t.window_ends_at < now() THEN excluded.window_ends_at ELSE t.window_ends_at END
   RETURNING bucket, failures, ceil(extract(epoch FROM window_ends_at - now()))::int AS seconds_left`,
});
const GIVE_BACK = statement({
  name: 'throttle.give_back',
  params: { buckets: array(text) },
  sql: `WITH mine AS (SELECT bucket FROM throttle WHERE bucket = ANY(:buckets::text[]) ORDER BY bucket FOR UPDATE)
   UPDATE throttle t SET failures = greatest(t.failures - 1, 0) FROM mine WHERE t.bucket = mine.bucket`,
});
const CLEAR = statement({
  name: 'throttle.clear',
  params: { bucket: text },
  sql: 'DELETE FROM throttle WHERE bucket = :bucket',
});
const FORGET = statement({
  name: 'throttle.forget',
  sql: `DELETE FROM throttle WHERE window_ends_at < now() - interval '10 minutes'`,
});
/** The typed name may be a password, so only the name of an existing account is stored. */
const RECORD_LOCK_OUT = statement({
  name: 'throttle.record_lock_out',
  params: { kind: text, id: text, acting: text },
  sql: `SELECT audit_refusal('sign-in', :kind, CASE :kind WHEN 'account'
     THEN (SELECT uid FROM user_account WHERE lower(uid) = lower(:id)) ELSE :id END, '{"reason": "locked-out"}')
   WHERE ${ACTING}`,
});

/** Subject of counted attempts: an account by its name, a link by its share's id, or one network. */
export type Throttled = readonly [kind: 'account' | 'share' | 'address', id: string];

/** Counts of failed attempts, shared by all replicas. */
@Injectable()
export class ThrottleRepository {
  constructor(private readonly database: Database) {}

  /** Counts one attempt in each bucket. An ended window starts again with its length in seconds. */
  async count(buckets: ReadonlyMap<string, number>): Promise<ThrottleCount[]> {
    return this.database.rows(COUNT, { buckets: [...buckets.keys()], seconds: [...buckets.values()] });
  }

  /** Withdraws a counted attempt that was none. */
  async giveBack(buckets: Iterable<string>): Promise<void> {
    await this.database.rows(GIVE_BACK, { buckets: [...buckets] });
  }

  /** Deletes the count of a bucket. */
  async clear(bucket: string): Promise<void> {
    await this.database.rows(CLEAR, { bucket });
  }

  /** Records in the audit log that a subject is locked out for a while. */
  async recordLockOut([kind, id]: Throttled): Promise<void> {
    await this.database.rows(RECORD_LOCK_OUT, { kind, id, acting: actingText() });
  }

  /** Removes windows that ended a while ago. */
  async forgetEnded(): Promise<void> {
    await this.database.rows(FORGET);
  }
}
