import pg from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral, type Repository } from 'typeorm';
import { BorrowedConnection } from './borrowed-connection';
import { ANNOUNCE_NEWS, CommittedNews } from './committed-news';
import { CONNECT_LIMIT_MS } from './connect-limit';
import { rowsFrom } from './described-query';
import { DriverClient } from './driver-client';
import { ENTITIES } from './entities';
import { PostgresNames } from './entities/postgres-names';
import { ENTITY_SUBSCRIBERS, STEP, useEntityRunners } from './entity-runner';
import { inSpan } from '#platform';
import { MIGRATIONS } from './migrations';
import { SESSION_OPTIONS } from './session-options';
import { ShortReads } from './short-reads';
import { readTimestamp } from './timestamps';
import { checkPooler, throughPooler, type Pooler } from './pooler';
import { ReadReplica } from './read-replica';
import { queryOf, unnamedQueryOf, type AnyStatement, type ArgumentsOf, type RowIn } from './statement';
import { RunningTransaction, type Queryable, type Transaction, type TransactionOptions } from './transaction';

// Ids, sizes and counts stay far below 2^53. Days are compared as text, not as instants.
for (const whole of ['INT2', 'INT4', 'INT8'] as const)
  pg.types.setTypeParser(pg.types.builtins[whole], Number);
const INT8_ARRAY: number = 1016;
pg.types.setTypeParser(INT8_ARRAY, (items) => items.slice(1, -1).split(',').filter(Boolean).map(Number));
pg.types.setTypeParser(pg.types.builtins.DATE, (day) => day);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTimestamp);

export type { Queryable, Transaction } from './transaction';

export interface DatabaseOptions {
  /** `postgres://...`; a directory with a socket is written as `postgres://user@/db?host=/dir`. */
  readonly url: string;
  readonly poolSize: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Runs all statements of the pool. Work that needs a session uses `url`. */
  readonly pooler?: Pooler;
  /** A standby of the database that answers `readRows`. */
  readonly replicaUrl?: string;
}

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';

/** The one way into Postgres: TypeORM's connection pool, prepared statements by name, and transactions. */
export class Database implements Queryable {
  private readonly queryOf: typeof queryOf;
  /** Absent with a pooler, which shares the connections itself. */
  private readonly shortReads: ShortReads | undefined;
  /** Answers nothing before it is started. */
  readonly replica: ReadReplica | undefined;
  private readonly news = new CommittedNews((news) => this.rows(ANNOUNCE_NEWS, { news }));

  private constructor(
    readonly dataSource: DataSource,
    readonly options: DatabaseOptions,
  ) {
    this.shortReads = options.pooler ? undefined : new ShortReads(() => this.pool);
    this.queryOf = options.pooler?.prepares === false ? unnamedQueryOf : queryOf;
    const { replicaUrl: url } = options;
    this.replica = url === undefined ? undefined : new ReadReplica({ ...options, url }, this);
  }

  static connect(options: DatabaseOptions): Promise<Database> {
    const { pooler } = options;
    return pooler
      ? throughPooler(pooler, () => Database.open(options, pooler))
      : Database.open(options, undefined);
  }

  private static async open(options: DatabaseOptions, pooler: Pooler | undefined): Promise<Database> {
    const dataSource = new DataSource({
      type: 'postgres',
      url: pooler?.url ?? options.url,
      applicationName: options.applicationName,
      poolSize: options.poolSize,
      entities: ENTITIES,
      subscribers: ENTITY_SUBSCRIBERS,
      namingStrategy: new PostgresNames(),
      migrations: MIGRATIONS,
      migrationsTableName: 'schema_migration',
      synchronize: false,
      // Failures are thrown; standard output belongs to commands.
      logger: 'debug',
      installExtensions: false,
      // The next request replaces a connection that broke while idle.
      poolErrorHandler: () => undefined,
      extra: {
        Client: DriverClient,
        connectionTimeoutMillis: CONNECT_LIMIT_MS,
        keepAlive: true,
        onConnect: (client: pg.ClientBase) => database.news.follow(client),
        ...(pooler ? {} : { options: SESSION_OPTIONS }),
      },
    });
    useEntityRunners(dataSource);
    const database = new Database(dataSource, options);
    await dataSource.initialize();
    if (pooler) await database.orClosed(checkPooler(database.pool, pooler));
    return database;
  }

  private async orClosed(check: Promise<void>): Promise<void> {
    try {
      await check;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Number of busy and idle connections, and of callers that wait for one. */
  usage(): { busy: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  private get pool(): pg.Pool {
    return (this.dataSource.driver as unknown as { master: pg.Pool }).master;
  }

  /** A deadlock undoes the statement, which is then repeated as a transaction is. */
  async rows<S extends AnyStatement>(statement: S, ...values: ArgumentsOf<S>): Promise<RowIn<S>[]> {
    const query = this.queryOf(statement, values[0]);
    const attempt = (): Promise<unknown[]> =>
      statement.isShortRead && this.shortReads
        ? this.shortReads.rows(statement, query)
        : rowsFrom(this.pool, statement, query);
    return (await inSpan(statement.name, STEP, () => withoutDeadlocks(attempt))) as RowIn<S>[];
  }

  /**
   * Rows of a frequent statement that only reads. A replica answers it if there is one that has applied every commit that was
   * acknowledged before this call (ADR 0245). It must not decide about access, and must not read rows that are committed lazily.
   */
  async readRows<S extends AnyStatement>(statement: S, ...values: ArgumentsOf<S>): Promise<RowIn<S>[]> {
    const { replica } = this;
    if (replica) {
      const rows = await inSpan(statement.name, STEP, () => replica.rows(statement, ...values));
      if (rows) return rows;
    }
    return this.rows(statement, ...values);
  }

  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it throws.
   * After a deadlock or serialization failure it is repeated, at most three times in all, so `work` must have no other effects.
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = { commitsLazily: false },
  ): Promise<T> {
    return inSpan('transaction', STEP, () => withoutDeadlocks(() => this.attempt(work, options)));
  }

  /** Repository of an entity, for reading. */
  reader<E extends ObjectLiteral>(entity: EntityTarget<E>): Repository<E> {
    return this.dataSource.getRepository(entity);
  }

  /** Writes by the repository of an entity, in a transaction that is recorded with the present actor. */
  write<E extends ObjectLiteral, T>(
    entity: EntityTarget<E>,
    work: (repository: Repository<E>) => Promise<T>,
  ): Promise<T> {
    return this.transaction(async (transaction) => work(await transaction.repository(entity)));
  }

  private async attempt<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    const connection = await BorrowedConnection.from(this.pool);
    const transaction = new RunningTransaction(connection.client, this.dataSource, this.queryOf, options);
    try {
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback().catch(connection.discard);
      throw error;
    } finally {
      connection.giveBack();
    }
  }

  /** Closes the pools after the statements under way, and after the news of their transactions. */
  async close(): Promise<void> {
    await this.news.settled();
    await this.replica?.close();
    await this.dataSource.destroy();
  }
}

async function withoutDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (attempts === 3 || (code !== DEADLOCK && code !== SERIALIZATION)) throw error;
    }
  }
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Whether `error` is a violation of the unique index or constraint `name`. */
export function violates(error: unknown, name: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === UNIQUE_VIOLATION && constraint === name;
}

/** Whether `error` says that a referenced row is gone. */
export function violatesForeignKey(error: unknown): boolean {
  return (error as { code?: string }).code === FOREIGN_KEY_VIOLATION;
}
