import { createEmptyDatabase } from '../../testing/src/test-database';
import { Database } from './database';
import { migrate, missingMigrations } from './migrate';
import { MIGRATIONS } from './migrations';

const NAMES = MIGRATIONS.map((migration) => migration.name);

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
  it('are all missing at first, and none afterwards', async () => {
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

  it('are not missed where a newer version has run', async () => {
    const database = await connect();
    await migrate(database);
    await database.dataSource.query(
      "INSERT INTO schema_migration (timestamp, name) VALUES (9999999999999, 'Later')",
    );
    expect(await missingMigrations(database)).toEqual([]);
  });

  it('cannot be taken back', async () => {
    for (const Migration of MIGRATIONS) await expect(new Migration().down()).rejects.toThrow('forward-only');
  });
});
