import type pg from 'pg';

/**
 * Whether a connection sends statements that do not wait for each other at once (the driver's `pipeline`). Transactions and short reads
 * want it; `COPY` cannot be used with it. The connection has to be idle.
 */
export function sendAtOnce(client: pg.PoolClient, atOnce: boolean): void {
  (client as pg.PoolClient & { pipeline: boolean }).pipeline = atOnce;
}
