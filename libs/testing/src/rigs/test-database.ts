import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Database, migrate } from '#persistence';

export interface TestDatabase {
  /** Address of a migrated, empty database for one caller. */
  readonly url: string;
  readonly database: Database;
  /**
   * Removes all rows of these tables and of those that refer to them, as TRUNCATE ... CASCADE does. It is many times faster, because
   * it makes no new files.
   */
  empty(...tables: string[]): Promise<void>;
  /** Cuts all connections except those of `database`, and refuses new ones until the returned function is called. */
  cutOff(): Promise<() => Promise<void>>;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** Made once per run, and copied for every spec file. */
const TEMPLATE = 'drawbridge_template';
const DRAFT = `${TEMPLATE}_draft`;
const TEMPLATE_LOCK = 7_421_190_003;

/** A separate database for one spec file: a copy of a migrated template, made in some 50 ms. */
export async function createTestDatabase(options: { poolSize?: number } = {}): Promise<TestDatabase> {
  const name = `spec_${randomBytes(6).toString('hex')}`;
  await administer(async (client) => {
    await ensureTemplate(client);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  });
  const url = testDatabaseUrl(name);
  const database = await connect(url, options.poolSize ?? 5);
  return {
    url,
    database,
    empty: (...tables) => emptyTables(database, tables),
    cutOff: async () => {
      await letIn(name, false);
      return () => letIn(name, true);
    },
    drop: async () => {
      await database.close();
      await dropDatabase(name);
    },
  };
}

/** An empty database without any schema, for specs about a first start. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administer((client) => client.query(`CREATE DATABASE ${name}`));
  return {
    url: testDatabaseUrl(name),
    drop: async () => {
      await dropDatabase(name);
    },
  };
}

interface ForeignKey {
  readonly table: string;
  readonly target: string;
}
const FOREIGN_KEYS = `SELECT conrelid::regclass::text AS table, confrelid::regclass::text AS target FROM pg_constraint
   WHERE contype = 'f' AND connamespace = 'public'::regnamespace`;

async function emptyTables({ dataSource }: Database, tables: readonly string[]): Promise<void> {
  const keys = await dataSource.query<ForeignKey[]>(FOREIGN_KEYS);
  const deletions = withReferring(keys, tables).map((name) => `DELETE FROM ${name};`);
  // Triggers and foreign keys do not see it.
  await dataSource.query(
    `BEGIN; SET LOCAL session_replication_role = replica; ${deletions.join(' ')} COMMIT`,
  );
}

/**
 * These tables and those whose foreign keys lead to them, each after the ones it refers to. So the deletion of a row waits for a transaction that
 * is inserting rows that refer to it, and they are there when their table has its turn.
 */
function withReferring(keys: readonly ForeignKey[], tables: readonly string[]): string[] {
  const wanted = new Set(tables);
  for (const name of wanted) for (const { table, target } of keys) if (target === name) wanted.add(table);
  const ordered = new Set<string>();
  const begun = new Set<string>();
  const add = (name: string): void => {
    if (!wanted.has(name) || begun.has(name)) return;
    begun.add(name);
    for (const { table, target } of keys) if (table === name) add(target);
    ordered.add(name);
  };
  for (const name of wanted) add(name);
  return [...ordered];
}

const CONNECTIONS = 'SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1';
const LONGEST_GOODBYE_MS = 60_000;

/**
 * Drops a database after its connections were closed. A pool reports its end a little before its connections are
 * closed; a connection that is cut at that moment has no listener any more, and would end the whole run.
 */
async function dropDatabase(name: string): Promise<void> {
  await administer(async (client) => {
    const until = performance.now() + LONGEST_GOODBYE_MS;
    while (performance.now() < until && (await client.query(CONNECTIONS, [name])).rowCount !== 0)
      await new Promise((soon) => setTimeout(soon, 10));
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
}

const OWN_NAME = 'drawbridge specs';

async function letIn(name: string, open: boolean): Promise<void> {
  await administer(async (client) => {
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${open}`);
    if (open) return;
    const others = 'FROM pg_stat_activity WHERE datname = $1 AND application_name <> $2';
    await client.query(`SELECT pg_terminate_backend(pid) ${others}`, [name, OWN_NAME]);
  });
}

/**
 * Another start of a gateway may load the product meanwhile, once per worker: on a busy machine this takes longer than a connection may,
 * and nothing else runs in the worker.
 */
async function connect(url: string, poolSize: number): Promise<Database> {
  const attempt = (): Promise<Database> => Database.connect({ url, poolSize, applicationName: OWN_NAME });
  return attempt().catch(attempt);
}

function testDatabaseUrl(name: string): string {
  const admin = process.env.TEST_DATABASE_URL;
  if (admin === undefined) throw new Error('TEST_DATABASE_URL is not set: run specs through jest.config.cjs');
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

async function administer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: testDatabaseUrl('postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Spec files run in separate processes: the first one makes the template, the others wait for it. */
async function ensureTemplate(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (known.rowCount !== 0) return;
    await client.query(`DROP DATABASE IF EXISTS ${DRAFT}`);
    await client.query(`CREATE DATABASE ${DRAFT}`);
    const database = await connect(testDatabaseUrl(DRAFT), 2);
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    await client.query(`ALTER DATABASE ${DRAFT} RENAME TO ${TEMPLATE}`);
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}
