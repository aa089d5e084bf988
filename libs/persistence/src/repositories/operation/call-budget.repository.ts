import { SHARE_TYPES } from '#sharing';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bytea, float8, int8, nullable, text } from '../../postgres-types';
import { statement } from '../../statement';

/** Capacity of a bucket, and the speed at which it empties. */
export interface Budget {
  /** Points that may be spent at once. */
  readonly capacity: number;
  /** Points that are regained per second. */
  readonly perSecond: number;
}

// A level never rises above twice the capacity: a client that calls too often waits for a while, not for ever.
const SPEND = statement({
  name: 'call_budget.spend',
  params: { bucket: text, points: float8, capacity: float8, perSecond: float8 },
  row: { overdrawn: float8 },
  sql: `INSERT INTO call_budget AS b (bucket, level) VALUES (:bucket, :points)
   ON CONFLICT (bucket) DO UPDATE SET spent_at = now(), level = least(2 * :capacity::float8, :points
     + greatest(0, b.level - :perSecond::float8 * greatest(0, extract(epoch FROM now() - b.spent_at))))
   RETURNING greatest(0, level - :capacity::float8) AS overdrawn`,
});
const FORGET = statement({
  name: 'call_budget.forget',
  sql: `DELETE FROM call_budget WHERE spent_at < now() - interval '10 minutes'`,
});
/** Includes ended shares, because their partner may repeat messages. `ourId` is the provider id if it can be one of ours. */
const HOST_OF_SECRET = statement({
  name: 'call_budget.host_of_secret',
  params: { providerId: text, tokenHmac: bytea, ourId: nullable(int8) },
  row: { hostId: int8 },
  sql: `SELECT p.host_id AS "hostId" FROM (
     SELECT peer_id FROM share WHERE token_hmac = :tokenHmac AND share_type = ${SHARE_TYPES.federated} AND peer_id IS NOT NULL
     UNION ALL SELECT peer_id FROM share WHERE id = :ourId::bigint AND granted_token_hmac = :tokenHmac AND peer_id IS NOT NULL
     UNION ALL SELECT peer_id FROM received_share WHERE token_hmac = :tokenHmac AND provider_id = :providerId LIMIT 1
   ) one JOIN peer p ON p.id = one.peer_id`,
});
const OUR_ID = /^[1-9]\d{0,14}$/;

/** Budgets of callers without an account, for all replicas together. */
@Injectable()
export class CallBudgetRepository {
  constructor(private readonly database: Database) {}

  /** @returns points above the capacity of the bucket; 0 while there are none */
  async spend(bucket: string, points: number, { capacity, perSecond }: Budget): Promise<number> {
    const [row] = await this.database.rows(SPEND, { bucket, points, capacity, perSecond });
    return row!.overdrawn;
  }

  /** Removes unused buckets. */
  async forgetUnused(): Promise<void> {
    await this.database.rows(FORGET);
  }

  /** The host of the partner that knows the secret, by its lookup key, for the share with this id; undefined for none. */
  async hostOfSecret(providerId: string, tokenHmac: Buffer): Promise<number | undefined> {
    const ourId = OUR_ID.test(providerId) ? Number(providerId) : null;
    return (await this.database.rows(HOST_OF_SECRET, { providerId, tokenHmac, ourId }))[0]?.hostId;
  }
}
