import { type Config, ConfigError } from '#platform';
import type pg from 'pg';

/** A pooler that gives each transaction any of its connections to Postgres, such as PgBouncer in transaction mode. */
export interface Pooler {
  readonly url: string;
  /** Whether a statement that was prepared by name on one connection can be used on all. */
  readonly prepares: boolean;
}

/** The pooler of the configuration; undefined for none. */
export function poolerOf({
  DATABASE_POOLER_URL: url,
  DATABASE_POOLER_PREPARES: prepares,
}: Config): Pooler | undefined {
  return url === undefined ? undefined : { url, prepares };
}

/** SQLSTATEs of a prepared statement that is known already, and of one that is unknown. */
const NOT_KEPT = ['42P05', '26000'];

const PROBE = { name: 'pooler.probe', text: 'SELECT pg_backend_pid() AS pid' };
/** Other processes may take the connection in between. */
const ATTEMPTS = 10;

/** @throws ConfigError if its sessions are not in UTC, or it does not keep prepared statements as it should */
export async function checkPooler(pool: pg.Pool, { prepares }: Pooler): Promise<void> {
  const { rows } = await pool.query<{ zone: string }>(`SELECT current_setting('TimeZone') AS zone`);
  // Days begin at midnight UTC in every process.
  if (!['UTC', 'Etc/UTC'].includes(rows[0]!.zone))
    throw new ConfigError(
      `The sessions of the pooler are in ${rows[0]!.zone}: run ALTER ROLE ... SET timezone TO 'UTC' for its user, and RECONNECT the pooler.`,
    );
  if (prepares) await checkStatements(pool);
}

/** Uses a prepared statement, and uses it again while a second client holds the connection to Postgres of the first use. */
async function checkStatements(pool: pg.Pool): Promise<void> {
  const [first, second] = [await pool.connect(), await pool.connect()];
  const pidOf = async (client: pg.PoolClient, query: string | typeof PROBE): Promise<number> =>
    (await client.query<{ pid: number }>(query)).rows[0]!.pid;
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const pid = await pidOf(first, PROBE);
      await second.query('BEGIN');
      const isHeld = (await pidOf(second, PROBE.text)) === pid;
      if (isHeld) await pidOf(first, PROBE);
      await second.query('ROLLBACK');
      if (isHeld) return;
    }
  } catch (error) {
    await second.query('ROLLBACK');
    if (!NOT_KEPT.includes((error as { code?: string }).code ?? '')) throw error;
    throw new ConfigError(
      'The pooler does not keep prepared statements: set its max_prepared_statements, or DATABASE_POOLER_PREPARES=false.',
      { cause: error },
    );
  } finally {
    first.release();
    second.release();
  }
}

/** @throws ConfigError with the reason, because explanations of failures name the host of DATABASE_URL */
export async function throughPooler<T>({ url }: Pooler, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message } = error as Error;
    throw new ConfigError(`DATABASE_POOLER_URL (${new URL(url).host}) cannot be used: ${message}`, {
      cause: error,
    });
  }
}
