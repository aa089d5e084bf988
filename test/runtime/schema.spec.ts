import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Database } from '../../libs/persistence/src';
import {
  createEmptyDatabase,
  createTestDatabase,
  REPOSITORY,
  type TestDatabase,
} from '../../libs/testing/src';

/** Objects that TypeORM cannot describe, so only the migrations have them. */
const ONLY_IN_MIGRATIONS = {
  /** Decorators name columns, not expressions. */
  expressionIndexes: [
    ...['audit_event_by_account', 'audit_event_by_actor'],
    ...['mail_outbox_once', 'user_account_by_name', 'user_account_email_folded', 'user_account_search'],
    ...['user_account_uid_folded', 'user_group_search', 'partner_address_card_search'],
  ],
  /** TypeORM would keep their expressions in a separate table in every database. */
  computedColumns: [
    ...[
      'node path_hash',
      'share_recipient target_hash',
      'share_recipient folder_hash',
      'received_share target_hash',
    ],
    ...['received_share folder_hash', 'user_account search_text', 'user_group search_text'],
    'partner_address_card search_text',
  ],
};

let migrated: TestDatabase;

beforeAll(async () => {
  migrated = await createTestDatabase();
});
afterAll(() => migrated.drop());

async function structureOf(url: string): Promise<string> {
  const script = join(REPOSITORY, 'scripts/dump-schema.mjs');
  return (await promisify(execFile)(process.execPath, [script, '--no-rows', url])).stdout;
}

/** The statements about tables, with sorted lines: later checks are marked as not validated and come last. */
function tablesIn(structure: string): string[] {
  const statements = structure
    .split(/;\n+/)
    .filter((statement) => /^(CREATE TABLE|ALTER TABLE|CREATE (UNIQUE )?INDEX)/.test(statement))
    // TypeORM does not know settings of tables.
    .filter((statement) => !/^ALTER TABLE \S+ SET \(/.test(statement));
  const isOfTypeOrm = (statement: string) => /\b(typeorm_metadata|schema_migration)\b/.test(statement);
  return statements
    .filter((statement) => !isOfTypeOrm(statement))
    .flatMap((statement) => (statement.startsWith('CREATE TABLE') ? columnsIn(statement) : [statement]))
    .filter((statement) => !isComputed(statement))
    .map((statement) => statement.replace(/ NOT VALID$/, '').replace(/DEFAULT '(\d+)'::\w+/, 'DEFAULT $1'))
    .sort();
}

function isComputed(column: string): boolean {
  return ONLY_IN_MIGRATIONS.computedColumns.some((computed) =>
    column.startsWith(`CREATE TABLE ${computed.replace(' ', ' ( ')} `),
  );
}

function columnsIn(table: string): string[] {
  const [head = '', ...lines] = table.split('\n');
  return lines
    .join('\n')
    .replace(/\n\)$/, '')
    .split(/,\n {2}(?=\w)/)
    .map((column) => `${head} ${column.trim()}`);
}

async function synchronizedDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const empty = await createEmptyDatabase();
  const database = await Database.connect({
    url: empty.url,
    poolSize: 2,
    applicationName: 'drawbridge specs',
  });
  await database.dataSource.synchronize();
  await database.close();
  return empty;
}

describe('the entities', () => {
  it('have no difference from a migrated database, as TypeORM compares them', async () => {
    const copy = await createTestDatabase();
    const { dataSource } = copy.database;
    for (const column of ONLY_IN_MIGRATIONS.computedColumns) {
      const [table, name] = column.split(' ');
      await dataSource.query(`ALTER TABLE ${table} ALTER COLUMN ${name} DROP EXPRESSION`);
    }
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await copy.drop();
    // Postgres prints these defaults in another form than TypeORM expects.
    const isExpected = (query: string) => /ALTER COLUMN "(origin|actor|written_by)" SET DEFAULT/.test(query);
    expect(upQueries.map(({ query }) => query).filter((query) => !isExpected(query))).toEqual([]);
  });

  it('make the same columns, keys, checks and indexes as the migrations', async () => {
    const made = await synchronizedDatabase();
    const fromEntities = tablesIn(await structureOf(made.url));
    await made.drop();
    const fromMigrations = tablesIn(await structureOf(migrated.url));
    const isExcepted = (statement: string) =>
      ONLY_IN_MIGRATIONS.expressionIndexes.some((name) => statement.includes(` INDEX ${name} `));
    expect(fromMigrations.filter(isExcepted)).toHaveLength(ONLY_IN_MIGRATIONS.expressionIndexes.length);
    expect(fromEntities).toEqual(fromMigrations.filter((statement) => !isExcepted(statement)));
  });
});

describe('the pages about the schema', () => {
  it('match the migrations and entities (npm run schema writes them)', async () => {
    const script = join(REPOSITORY, 'scripts/write-schema.mjs');
    const run = promisify(execFile)(process.execPath, [script, '--check', migrated.url]);
    expect(await run.then(({ stderr }) => stderr)).toBe('');
  });
});
