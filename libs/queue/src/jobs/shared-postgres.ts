import { PostgresConnection, PostgresQueueBackend, type BackendFactory } from 'bullmq';
import type { Pool, QueryConfig } from 'pg';

/** Name in `pg_stat_activity` of the connection on which the workers of a process wait for jobs. */
export const WORKER_SESSION = 'drawbridge worker';

/** Schema of the queue's own tables; its library creates and migrates it. */
const SCHEMA = 'bullmq';

/**
 * A connection is replaced after this time. A newer version of the queue library may change what a function returns, and then Postgres
 * refuses a statement that was prepared before.
 */
const LONGEST_LIFE_SECONDS = 300;

/** Jobs do not wait for the disk: those that a crash of PostgreSQL loses or repeats are added again or do no harm (ADR 0013), as with Redis. */
const WITHOUT_DISK = '-c synchronous_commit=off';

type Listener = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/**
 * One pool and one listening connection for several queues or workers. Postgres wakes every connection that listens for each job, so
 * one per worker would cost as much as the jobs themselves. Its maker closes it after its queues and workers.
 */
export class SharedPostgres extends PostgresConnection {
  private listener?: Listener;

  constructor(url: string, poolSize: number) {
    super({
      connectionString: url,
      schema: SCHEMA,
      migrate: true,
      max: poolSize,
      keepAlive: true,
      application_name: 'drawbridge queue',
      maxLifetimeSeconds: LONGEST_LIFE_SECONDS,
      options: WITHOUT_DISK,
    });
    prepareStatements(this.pool);
    outliveConnections(this.pool as unknown as Pool);
    // Every queue and every worker adds listeners.
    this.setMaxListeners(0);
  }

  /** @throws if this is closed: a worker that ends later would open a connection that nobody closes */
  override async getListenClient(): Promise<Listener> {
    if (this.isClosing) throw new Error('the connection to the queue is closed');
    const listener = await super.getListenClient();
    if (listener !== this.listener) runOneByOne(listener);
    this.listener = listener;
    return listener;
  }
}

/**
 * A lent connection that breaks notifies its statements and its listeners. The library adds no listener while it looks at its tables, and
 * without one the process would end.
 */
function outliveConnections(pool: Pool): void {
  pool.on('connect', (client) => client.on('error', () => undefined));
}

/**
 * Names every statement, so that a connection plans it once: to look for a waiting job costs Postgres 0.06 ms instead of 0.28. The library
 * has about a hundred statements, each with one text.
 */
function prepareStatements(pool: PostgresConnection['pool']): void {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    const name = `queue ${names.size}`;
    names.set(text, name);
    return name;
  };
  const run = pool.query.bind(pool) as unknown as (statement: QueryConfig) => Promise<never>;
  pool.query = (text, values = []) =>
    run({ name: names.get(text) ?? nameOf(text), text, values: [...values] });
}

/** Makes statements of several workers wait for each other: the driver takes one at a time. */
function runOneByOne(client: Listener): void {
  const run = client.query.bind(client) as (text: string, values?: readonly unknown[]) => Promise<never>;
  let last: Promise<unknown> = Promise.resolve();
  client.query = (text, values) => {
    const answer = last.then(() => run(text, values));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** Leaves the connection open when its queue or worker is closed. */
class BackendOfShared extends PostgresQueueBackend {
  override async close(): Promise<void> {}
}

/** Gives a queue or a worker the shared connection instead of its own. */
export const backendOfShared: BackendFactory<PostgresQueueBackend, SharedPostgres> = (
  name,
  options,
  { withBlockingConnection = false } = {},
) => {
  const { connection } = options;
  const session = withBlockingConnection ? WORKER_SESSION : undefined;
  return new BackendOfShared(connection, name, { ...options, connection: connection.pool }, true, session);
};
