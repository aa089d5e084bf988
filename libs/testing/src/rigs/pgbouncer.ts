import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../waiting';
import { freePort } from './free-port';
import { joinEnds } from './joined-sockets';

/** Connections to Postgres that all clients of the pooler share. */
export const POOLED = 3;
const SOCKET = '.s.PGSQL.5432';
const NOBODY = 65_534;

/** A PgBouncer in transaction mode, on a free port of the loopback address. */
export interface TestPooler {
  /** The same database, through the pooler. */
  readonly url: string;
  /** Transactions that went through it since its start. */
  transactions(): Promise<number>;
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param databaseUrl a database of the specs' server @throws Error if the program `pgbouncer` is not installed */
export async function startTestPooler(databaseUrl: string): Promise<TestPooler> {
  const port = await freePort();
  const target = new URL(databaseUrl);
  const bridge = await openBridge(join(target.searchParams.get('host')!, SOCKET));
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-pgbouncer-'));
  chmodSync(directory, 0o755);
  const user = decodeURIComponent(target.username);
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${bridge.port} user=${user} password=${decodeURIComponent(target.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = ${user}
pool_mode = transaction
default_pool_size = ${POOLED}
max_client_conn = 200
`,
    { mode: 0o644 },
  );
  const at = (database: string): string => `postgres://${target.username}@127.0.0.1:${port}/${database}`;
  const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: at('pgbouncer') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  let end: (signal: NodeJS.Signals) => Promise<void> = () => Promise.resolve();
  const start = async (): Promise<void> => {
    end = launch(file);
    await eventually('the start of pgbouncer', () =>
      ask('SHOW VERSION').then(
        () => true,
        () => false,
      ),
    );
  };
  await start();
  return {
    url: at(target.pathname.slice(1)),
    transactions: async () => {
      const rows = await ask('SHOW STATS');
      return rows.reduce(
        (sum, row) => sum + (row.database === 'pgbouncer' ? 0 : Number(row.total_xact_count)),
        0,
      );
    },
    kill: () => end('SIGKILL'),
    start,
    stop: async () => {
      await end('SIGTERM');
      await bridge.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A port of the loopback address that leads to the socket of the specs' Postgres: only the account of the specs reaches the
 * directory of that socket, and the pooler refuses to run as root.
 */
async function openBridge(path: string): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const database = connect(path);
    client.pipe(database).pipe(client);
    joinEnds(client, database, sockets);
  });
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** @returns a function that ends it with a signal */
function launch(file: string): (signal: NodeJS.Signals) => Promise<void> {
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn('pgbouncer', ['-q', file], { stdio: 'ignore', ...account });
  const exit = new Promise<void>((ended) => {
    child.once('close', () => ended());
    child.once('error', () => ended());
  });
  return (signal) => {
    child.kill(signal);
    return exit;
  };
}
