import type pg from 'pg';
import type { DriverClient } from './driver-client';

/** A connection of a pool whose option `Client` is DriverClient. */
export type PooledClient = pg.PoolClient & DriverClient;

/** A connection of a pool while one user has it. The pool replaces one that broke. */
export class BorrowedConnection {
  private failure: Error | undefined;

  private constructor(
    readonly client: PooledClient,
    private readonly onBreak?: () => void,
  ) {
    // A connection that breaks notifies its statements and its listeners. Without a listener the process would end.
    client.on('error', this.discard);
    setPipelined(client, true);
  }

  /**
   * Its statements are sent without waiting for the ones before; `COPY` cannot be used.
   * @param onBreak called when the connection breaks
   */
  static async from(pool: pg.Pool, onBreak?: () => void): Promise<BorrowedConnection> {
    return new BorrowedConnection((await pool.connect()) as PooledClient, onBreak);
  }

  /** The pool closes it when it is given back. */
  readonly discard = (failure: Error): void => {
    this.failure = failure;
    this.onBreak?.();
  };

  giveBack(): void {
    this.client.off('error', this.discard);
    setPipelined(this.client, false);
    this.client.release(this.failure);
  }
}

/** Only while the connection is idle. Source: the driver's `pipeline`, which its types leave out (pg 8.23). */
function setPipelined(client: pg.PoolClient, pipeline: boolean): void {
  Object.assign(client, { pipeline });
}
