import type pg from 'pg';
import { BorrowedConnection, type PooledClient } from './borrowed-connection';
import { rowsFrom } from './described-query';
import type { AnyStatement, DriverQuery } from './statement';

/** Connections that short reads use at most. More would wake more processes of PostgreSQL for the same work. */
const CONNECTIONS = 2;

/**
 * Sends short reads of several requests through the same connections, without waiting for the ones before (ADR 0261). Each is a
 * transaction of its own. A connection goes back to the pool after its last read.
 */
export class ShortReads {
  private lanes: readonly Lane[] = [];

  constructor(private readonly pool: () => pg.Pool) {}

  /** @throws the failure of the connection, or of the read itself */
  async rows(statement: AnyStatement, query: DriverQuery): Promise<unknown[]> {
    const lane = this.leastBusy();
    lane.underWay++;
    try {
      const client = await lane.client;
      client.sendTogether();
      return await rowsFrom(client, statement, query);
    } finally {
      lane.underWay--;
      if (lane.underWay === 0) {
        this.leave(lane);
        lane.giveBack();
      }
    }
  }

  private leastBusy(): Lane {
    const [first, ...others] = this.lanes;
    if (!first || this.lanes.length < CONNECTIONS) return this.open();
    return others.reduce((least, lane) => (lane.underWay < least.underWay ? lane : least), first);
  }

  private open(): Lane {
    const lane = new Lane(this.pool(), () => this.leave(lane));
    this.lanes = [...this.lanes, lane];
    return lane;
  }

  /** Later reads use another connection. */
  private leave(lane: Lane): void {
    this.lanes = this.lanes.filter((other) => other !== lane);
  }
}

/** A connection of the pool while short reads use it. */
class Lane {
  readonly client: Promise<PooledClient>;
  /** Reads that were sent, or wait for the connection. */
  underWay = 0;
  private connection: BorrowedConnection | undefined;

  /** @param onEnd called when no connection was available, and when it breaks: its reads fail */
  constructor(pool: pg.Pool, onEnd: () => void) {
    this.client = this.borrow(pool, onEnd);
    this.client.catch(onEnd);
  }

  /** Only after the last read. */
  giveBack(): void {
    this.connection?.giveBack();
  }

  private async borrow(pool: pg.Pool, onEnd: () => void): Promise<PooledClient> {
    this.connection = await BorrowedConnection.from(pool, onEnd);
    return this.connection.client;
  }
}
