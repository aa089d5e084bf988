import pg from 'pg';
import { EmbeddedDatabaseError } from './embedded-database-error';

/** Result of an attempt to connect. */
export type Attempt =
  | { readonly kind: 'connected'; readonly client: pg.Client }
  /** No process listens on the socket. */
  | { readonly kind: 'absent' }
  /** It starts, recovers or shuts down; try again later. */
  | { readonly kind: 'busy' };

const CANNOT_CONNECT_NOW = '57P03';
const WRONG_PASSWORD = ['28P01', '28000'];
/** Held while a process owns the cluster. Postgres releases it when the process ends, for any reason. */
const OWNER_LOCK = 7_421_190_002;
const CONNECT_TIMEOUT_MS = 5_000;

/** Tries once to connect. @throws EmbeddedDatabaseError if the password is not that of the cluster */
export async function tryToConnect(url: string): Promise<Attempt> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `drawbridge process ${process.pid}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { kind: 'connected', client };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { kind: 'absent' };
    if (code !== undefined && WRONG_PASSWORD.includes(code)) {
      throw new EmbeddedDatabaseError(
        'The embedded database refuses the password in DATA_DIR/postgres-password: restore that file from a backup.',
      );
    }
    if (code === 'EACCES') {
      throw new EmbeddedDatabaseError(
        'The embedded database belongs to another account: run this as the account that runs the gateway, or as root.',
      );
    }
    if (code === undefined || code === CANNOT_CONNECT_NOW || code === 'ECONNRESET' || code === 'EPIPE') {
      return { kind: 'busy' };
    }
    throw error;
  }
}

/** Makes the caller's session the owner of the cluster, unless another one is. */
export async function tryToOwn(client: pg.Client): Promise<boolean> {
  const result = await client.query<{ owned: boolean }>('SELECT pg_try_advisory_lock($1) AS owned', [
    OWNER_LOCK,
  ]);
  return result.rows[0]!.owned;
}

/** Name of the process that owns the cluster, such as `process 4711`, for error messages. */
export async function ownerName(client: pg.Client): Promise<string> {
  const result = await client.query<{ name: string }>(
    `SELECT replace(a.application_name, 'drawbridge ', '') AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32 | l.objid::bigint) = $1`,
    [OWNER_LOCK],
  );
  return result.rows[0]?.name ?? 'another process';
}

/** Makes `database` if it is missing. */
export async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  if (known.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
}
