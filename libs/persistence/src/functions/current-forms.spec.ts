import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { eventually } from '../../../testing/src/waiting';
import { CURRENT_FORMS } from '.';
import { migrate, missingMigrations, schemaDifference } from '../migrate';

const DEFINITIONS = `
  SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT pg_get_triggerdef(g.oid) FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
  WHERE c.relnamespace = 'public'::regnamespace AND NOT g.tgisinternal ORDER BY 1`;
const DROP_TRIGGERS = `
  SELECT format('DROP TRIGGER %I ON %I', g.tgname, c.relname) AS sql FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
  WHERE c.relnamespace = 'public'::regnamespace AND NOT g.tgisinternal`;
const DROP_FUNCTIONS = `
  SELECT format('DROP FUNCTION %s', p.oid::regprocedure) AS sql FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)`;
/** Indexes need this function, so it is not dropped. */
const KEPT = ['search_trigrams'];

const PEER_HOST = `SELECT peer_host('a.example:443') AS host`;
const BREAK_PEER_HOST = `CREATE OR REPLACE FUNCTION peer_host(host_key text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'broken' $$`;
const BREAK_RETENTION = `CREATE OR REPLACE FUNCTION audit_retention_days() RETURNS integer LANGUAGE sql STABLE AS $$ SELECT 7 $$`;
const WAITING = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'node'::regclass`;
const WRITE = 'UPDATE node SET size = size WHERE false';

let migrated: TestDatabase;

beforeEach(async () => {
  migrated = await createTestDatabase();
});
afterEach(() => migrated.drop());

const run = <Row = Record<string, unknown>>(sql: string): Promise<Row[]> =>
  migrated.database.dataSource.query<Row[]>(sql);

async function definitions(): Promise<string[]> {
  return (await run<{ definition: string }>(DEFINITIONS)).map(({ definition }) => definition);
}

/** Changes the records of a database as if an older form was applied. */
const outdate = (subject: string, triggers = 'triggers') =>
  run(
    `UPDATE schema_function SET revision = revision - 1, digest = 'before', triggers = ${triggers} WHERE subject = '${subject}'`,
  );

describe('the current forms of functions and triggers', () => {
  it('make all functions and triggers of a migrated database', async () => {
    const before = await definitions();
    for (const { sql } of await run<{ sql: string }>(DROP_TRIGGERS)) await run(sql);
    for (const { sql } of await run<{ sql: string }>(DROP_FUNCTIONS)) await run(sql);
    const left = await definitions();
    expect(left.map((definition) => /FUNCTION public\.(\w+)/.exec(definition)?.[1])).toEqual(KEPT);
    const sources = CURRENT_FORMS.map(({ functions }) => functions).join('');
    for (const name of KEPT) expect(sources).toContain(`CREATE OR REPLACE FUNCTION ${name}(`);
    await run('DELETE FROM schema_function');
    await migrate(migrated.database);
    expect(await definitions()).toEqual(before);
  });

  it('are applied again if they changed, and only then', async () => {
    await run(BREAK_PEER_HOST);
    await run(BREAK_RETENTION);
    await outdate('partners');
    expect(await missingMigrations(migrated.database)).toEqual(['functions of partners']);
    expect(await migrate(migrated.database)).toEqual(['functions of partners']);
    expect(await run(PEER_HOST)).toEqual([{ host: 'a.example' }]);
    expect(await run('SELECT audit_retention_days() AS days')).toEqual([{ days: 7 }]);
    expect(await missingMigrations(migrated.database)).toEqual([]);
  });

  it('are not changed by an older version that starts beside a newer one', async () => {
    await run(BREAK_PEER_HOST);
    await run(`UPDATE schema_function SET revision = 99, digest = 'later' WHERE subject = 'partners'`);
    expect(await migrate(migrated.database)).toEqual([]);
    expect(await run(PEER_HOST)).toEqual([{ host: 'broken' }]);
    expect(await schemaDifference(migrated.database)).toMatchObject({
      missing: [],
      newer: ['functions of partners'],
    });
  });

  it('lock no table whose triggers did not change', async () => {
    await outdate('files');
    const writer = migrated.database.dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query(WRITE);
    expect(await migrate(migrated.database)).toEqual(['functions of files']);
    await writer.commitTransaction();
    await writer.release();
  });

  it('wait for writers while their triggers change', async () => {
    await outdate('files', `'{}'`);
    const writer = migrated.database.dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query(WRITE);
    const migrating = migrate(migrated.database);
    for (let queued = 0; queued < 2; queued++) {
      await eventually('the change to wait', async () => (await writer.query(WAITING)).length > 0);
      await run(WRITE);
    }
    await writer.commitTransaction();
    await writer.release();
    expect(await migrating).toEqual(['functions of files']);
  });
});
