import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../testing/src/rigs/gateway-process';
import { createEmptyDatabase } from '../../testing/src/rigs/test-database';
import { eventually } from '../../testing/src/waiting';
import { Database } from './database';
import { CURRENT_FORMS } from './functions';
import { migrate, missingMigrations } from './migrate';
import { MIGRATIONS } from './migrations';

const RELEASED = join(REPOSITORY, 'test/fixtures/schema/0012-limits-and-keys.sql');
const WAITING = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'peer'::regclass`;
const NAMES = [...MIGRATIONS, ...CURRENT_FORMS].map(({ name }) => name);

let url: string;
let drop: () => Promise<void>;
const databases: Database[] = [];

beforeEach(async () => {
  ({ url, drop } = await createEmptyDatabase());
});
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
  await drop();
});

async function connect(): Promise<Database> {
  const database = await Database.connect({ url, poolSize: 2, applicationName: 'drawbridge specs' });
  databases.push(database);
  return database;
}

describe('migrations', () => {
  it('migrations are all missing in an empty database, and none after a run', async () => {
    const database = await connect();
    expect(await missingMigrations(database)).toEqual(NAMES);
    expect(await migrate(database)).toEqual(NAMES);
    expect(await missingMigrations(database)).toEqual([]);
    expect(await migrate(database)).toEqual([]);
  });

  it('are run once by several processes that start together', async () => {
    const replicas = await Promise.all([connect(), connect(), connect()]);
    const done = await Promise.all(replicas.map((replica) => migrate(replica)));
    expect(done.flat()).toEqual(NAMES);
    expect(done.filter((names) => names.length > 0)).toHaveLength(1);
    for (const replica of replicas) expect(await missingMigrations(replica)).toEqual([]);
  });

  it('are not missed after a newer version has run', async () => {
    const database = await connect();
    await migrate(database);
    await database.dataSource.query(
      "INSERT INTO schema_migration (timestamp, name) VALUES (9999999999999, 'Later')",
    );
    expect(await missingMigrations(database)).toEqual([]);
  });

  it('block no reader or writer while they wait for a lock on a table', async () => {
    const [database, other] = [await connect(), await connect()];
    await other.dataSource.query(readFileSync(RELEASED, 'utf8'));
    const missing = await missingMigrations(other);
    const holder = other.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM peer');
    const migrating = migrate(database);
    // Each of them would wait for ever behind a waiting migration.
    for (let queued = 0; queued < 2; queued++) {
      await eventually('the migration to wait', async () => (await holder.query(WAITING)).length > 0);
      await other.dataSource.query('SELECT FROM peer');
    }
    expect(missing).toEqual(await missingMigrations(other));
    await holder.commitTransaction();
    await holder.release();
    expect(await migrating).toEqual(missing);
    expect(await missingMigrations(other)).toEqual([]);
  });

  it('cannot be undone', async () => {
    for (const Migration of MIGRATIONS) await expect(new Migration().down()).rejects.toThrow('forward-only');
  });
});
