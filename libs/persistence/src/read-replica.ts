import { setTimeout as pause } from 'node:timers/promises';
import { withoutOrigin } from '#platform';
import pg from 'pg';
import { BorrowedConnection } from './borrowed-connection';
import { rowsFrom } from './described-query';
import { DriverClient } from './driver-client';
import {
  checkReplica,
  covers,
  replayedPosition,
  WRITTEN,
  type AskedServer,
  type LogPosition,
} from './replayed-position';
import { SESSION_OPTIONS } from './session-options';
import { SharedQuestion } from './shared-question';
import { queryOf, type AnyStatement, type ArgumentsOf, type RowIn } from './statement';

/** Milliseconds for a connection, including the wait for a free one. Afterwards the primary answers. */
const CONNECT_MS = 2_000;
/** Milliseconds for a statement: the server ends it, and after a silent break of the connection this process does. */
const STATEMENT_MS = 3_000;
const SILENCE_MS = 4_000;
/** How often a read asks a standby that is behind, and the milliseconds between. Streaming takes about one. */
const ASKS = 4;
const ASK_EVERY_MS = 1;
/** Milliseconds in which reads go to the primary at once after the standby was behind. */
const BEHIND_MS = 50;
/** Milliseconds between looks at a standby that cannot be used. */
const LOOK_EVERY_MS = 1_000;

/** SQLSTATEs of a statement that the standby ended: replay or the limit of time was in its way. The connection may be fine. */
const CANCELLED = new Set(['40001', '40P01', '57014']);

export type AnsweredBy = 'replica' | 'primary';

/** Hears of the use of a replica. */
interface ReplicaReports {
  /** It cannot be used; reads go to the primary. Called for each look at it. */
  failed(error: unknown): void;
  worked(): void;
  answered(by: AnsweredBy): void;
}

interface ReplicaOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly applicationName: string;
}

const optionsOf = ({ url, applicationName }: Omit<ReplicaOptions, 'poolSize'>): pg.ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: CONNECT_MS,
  statement_timeout: STATEMENT_MS,
  query_timeout: SILENCE_MS,
  keepAlive: true,
  options: SESSION_OPTIONS,
});

const serverOf = (client: pg.ClientBase): AskedServer => ({
  rows: async <S extends AnyStatement>(statement: S, ...values: ArgumentsOf<S>) =>
    (await rowsFrom(client, statement, queryOf(statement, values[0]))) as RowIn<S>[],
});

/**
 * A standby of the database that answers reads in place of the primary (ADR 0245). It answers a read only if it has applied every
 * commit that was acknowledged before the read began, by any process: the primary says how far its log is, and the connection of the
 * read has to be as far.
 */
export class ReadReplica {
  private readonly pool: pg.Pool;
  private readonly written: SharedQuestion<LogPosition>;
  /** How far the server of a connection was when it was asked last. Connections of one pool may lead to several standbys. */
  private readonly replayed = new WeakMap<pg.PoolClient, LogPosition>();
  private reports: ReplicaReports | undefined;
  private isUsable = false;
  private isClosed = false;
  private behindUntil = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    options: ReplicaOptions,
    private readonly primary: AskedServer,
  ) {
    this.pool = new pg.Pool({ ...optionsOf(options), max: options.poolSize, Client: DriverClient });
    this.pool.on('error', (error) => this.leave(error));
    this.written = new SharedQuestion(async () => (await withoutOrigin(() => primary.rows(WRITTEN)))[0]!);
  }

  /** Uses it as soon as it can be used. Before that, the primary answers. */
  start(reports: ReplicaReports): void {
    this.reports = reports;
    void this.look();
  }

  /**
   * Rows of a statement that only reads; undefined if the primary has to answer. No failure of the replica is thrown.
   * @throws the failure of the primary, if it cannot say how far it is
   */
  async rows<S extends AnyStatement>(
    statement: S,
    ...values: ArgumentsOf<S>
  ): Promise<RowIn<S>[] | undefined> {
    const mayAsk = this.isUsable && performance.now() >= this.behindUntil;
    const read = (server: AskedServer): Promise<RowIn<S>[]> => server.rows(statement, ...values);
    const rows = mayAsk ? await this.rowsAt(await this.written.ask(), read) : undefined;
    this.reports?.answered(rows ? 'replica' : 'primary');
    return rows;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.isUsable = false;
    clearTimeout(this.timer);
    await this.pool.end();
  }

  private async rowsAt<Row>(
    written: LogPosition,
    read: (server: AskedServer) => Promise<Row[]>,
  ): Promise<Row[] | undefined> {
    try {
      return await this.onClient(async (client) => {
        // In this order: a statement that asks and reads may read first.
        if (await this.isAsFar(client, written)) return read(serverOf(client));
        this.behindUntil = performance.now() + BEHIND_MS;
        return undefined;
      });
    } catch (error) {
      if (!CANCELLED.has((error as { code?: string }).code ?? '')) this.leave(error);
      return undefined;
    }
  }

  private async isAsFar(client: pg.PoolClient, written: LogPosition): Promise<boolean> {
    for (let asked = 0; !covers(this.replayed.get(client), written); asked++) {
      if (asked === ASKS) return false;
      if (asked > 0) await pause(ASK_EVERY_MS);
      this.replayed.set(client, await replayedPosition(serverOf(client)));
    }
    return true;
  }

  private async onClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const connection = await BorrowedConnection.from(this.pool);
    try {
      return await work(connection.client);
    } catch (error) {
      connection.discard(error as Error);
      throw error;
    } finally {
      connection.giveBack();
    }
  }

  /** Reads go to the primary until a look finds it fit. */
  private leave(error: unknown): void {
    if (!this.isUsable) return;
    this.isUsable = false;
    this.reports?.failed(error);
    this.lookLater();
  }

  private lookLater(): void {
    if (!this.isClosed) this.timer = setTimeout(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  private async look(): Promise<void> {
    try {
      await this.onClient((client) => checkReplica(this.primary, serverOf(client)));
      if (this.isClosed) return;
      this.isUsable = true;
      this.reports?.worked();
    } catch (error) {
      if (!this.isClosed) this.reports?.failed(error);
      this.lookLater();
    }
  }
}

const CATCH_UP_MS = 1_000;

/**
 * Connects to a replica once, and examines it.
 * @returns the bytes of the primary's log that it has not applied within a second
 * @throws UnfitReplica, or the failure of the connection
 */
export async function examineReplica(
  options: Omit<ReplicaOptions, 'poolSize'>,
  primary: AskedServer,
): Promise<number> {
  const client = new pg.Client(optionsOf(options));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const replica = serverOf(client);
    await checkReplica(primary, replica);
    const written = (await primary.rows(WRITTEN))[0]!;
    const deadline = performance.now() + CATCH_UP_MS;
    for (;;) {
      const replayed = await replayedPosition(replica);
      if (covers(replayed, written)) return 0;
      if (performance.now() > deadline) return written.bytes - replayed.bytes;
      await pause(BEHIND_MS);
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}
