import pg from 'pg';
import { everyStatement } from '../../testing/src/rigs/every-statement';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { UnfinishedRestore } from './backup/unfinished-restore';
import type { Columns, PostgresType } from './postgres-types';
import * as types from './postgres-types';
import { declaredStatements, statement, type Statement } from './statement';

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly tableID: number;
  readonly columnID: number;
}

/** Types of a statement's parameters and columns, as Postgres describes them. */
interface Described {
  readonly params: readonly number[];
  readonly row: readonly Field[];
}

/** Parts of the driver's connection that are missing in its types. */
interface Wire {
  parse(query: { text: string; name: string; types: number[] }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
  once(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void;
  off(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void;
}

/** Lets Postgres parse a statement and describe it, without running it. */
class Description {
  private params: readonly number[] = [];
  private row: readonly Field[] = [];
  private readonly noteParams = (message: { dataTypeIDs: number[] }): void => {
    this.params = message.dataTypeIDs;
  };

  constructor(
    private readonly text: string,
    private readonly done: (failure: Error | undefined, described: Described) => void,
  ) {}

  submit(wire: Wire): void {
    wire.once('parameterDescription', this.noteParams);
    wire.parse({ text: this.text, name: '', types: [] });
    wire.describe({ type: 'S', name: '' });
    wire.sync();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.row = fields;
  }

  handleError(failure: Error, wire: Wire): void {
    wire.off('parameterDescription', this.noteParams);
    this.done(failure, { params: [], row: [] });
  }

  handleReadyForQuery(): void {
    this.done(undefined, { params: this.params, row: this.row });
  }
}

let test: TestDatabase;
let client: pg.Client;
const typeNames = new Map<number, string>();
/** Columns that cannot be null: `table/column`, both as numbers. */
const filled = new Set<string>();

beforeAll(async () => {
  test = await createTestDatabase();
  // Makes a table that otherwise only a restore makes.
  await new UnfinishedRestore(test.database).begin('spec');
  client = new pg.Client({ connectionString: test.url });
  await client.connect();
  const known = await client.query<{ oid: number; name: string }>(
    'SELECT oid, format_type(oid, NULL) AS name FROM pg_type',
  );
  for (const { oid, name } of known.rows) typeNames.set(oid, name);
  const columns = await client.query<{ id: string }>(
    `SELECT attrelid || '/' || attnum AS id FROM pg_attribute WHERE attnotnull AND attnum > 0`,
  );
  for (const { id } of columns.rows) filled.add(id);
});
afterAll(async () => {
  await client.end();
  await test.drop();
});

function describeStatement(text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    const description = new Description(text, (failure, described) =>
      failure ? reject(failure) : resolve(described),
    );
    client.query(description as unknown as pg.Submittable);
  });
}

const differs = (about: string, declared: string | undefined, real: string | undefined): string[] =>
  declared === real ? [] : [`${about} is ${real ?? 'missing'}, declared as ${declared ?? 'nothing'}`];

/** Whether a column is taken from a table directly, and is nullable there. */
const mayBeNull = ({ tableID, columnID }: Field): boolean =>
  tableID !== 0 && !filled.has(`${tableID}/${columnID}`);

function differencesOfColumn(name: string, type: PostgresType<unknown> | undefined, field?: Field): string[] {
  const found = differs(`column ${name}`, type?.name, field && typeNames.get(field.dataTypeID));
  if (!type || !field || found.length > 0) return found;
  const open = mayBeNull(field);
  if (open && !type.nullable && !type.filtered) return [`column ${name} can be null`];
  return type.filtered && !open ? [`column ${name} needs no filter`] : [];
}

async function differences({ text, order, params, row }: Statement<Columns, Columns>): Promise<string[]> {
  const real = await describeStatement(text);
  const ofParams = order.flatMap((name, at) =>
    differs(`:${name}`, params[name]!.name, typeNames.get(real.params[at]!)),
  );
  const declared = Object.keys(row);
  if (declared.length === 0) return ofParams;
  const names = new Set([...declared, ...real.row.map(({ name }) => name)]);
  const ofColumns = [...names].flatMap((name) =>
    differencesOfColumn(
      name,
      row[name],
      real.row.find((field) => field.name === name),
    ),
  );
  return [...ofParams, ...ofColumns];
}

async function differencesOf(checked: Statement<Columns, Columns>): Promise<string[]> {
  try {
    return await differences(checked);
  } catch (error) {
    return [(error as Error).message];
  }
}

describe('declared statements', () => {
  it('have the parameters and columns that Postgres finds in them', async () => {
    const checked = await everyStatement(declaredStatements);
    const wrong: Record<string, string[]> = {};
    for (const each of checked) {
      const found = await differencesOf(each);
      if (found.length > 0) wrong[each.name] = found;
    }
    expect(wrong).toEqual({});
    expect(checked.length).toBeGreaterThan(400);
  });
});

describe('a statement that differs from Postgres', () => {
  const { int4, int8, nullable, text } = types;
  const FIND = 'SELECT uid, quota_bytes FROM user_account WHERE uid = :uid AND quota_bytes > :bytes';
  const account = { uid: text, quota_bytes: nullable(int8) };

  it.each<[string, Columns, Columns, string]>([
    [
      'a parameter of another type',
      { uid: text, bytes: int4 },
      account,
      ':bytes is bigint, declared as integer',
    ],
    ['swapped parameters', { uid: int8, bytes: text }, account, ':uid is text, declared as bigint'],
    [
      'a column of another type',
      { uid: text, bytes: int8 },
      { ...account, uid: int8 },
      'column uid is text, declared as bigint',
    ],
    [
      'a column that can be null',
      { uid: text, bytes: int8 },
      { ...account, quota_bytes: int8 },
      'column quota_bytes can be null',
    ],
    [
      'a column that is missing',
      { uid: text, bytes: int8 },
      { uid: text },
      'column quota_bytes is bigint, declared as nothing',
    ],
    [
      'a column that is not there',
      { uid: text, bytes: int8 },
      { ...account, email: text },
      'column email is missing, declared as text',
    ],
    [
      'a filter of a column that is never null',
      { uid: text, bytes: int8 },
      { ...account, uid: types.filtered(text) },
      'column uid needs no filter',
    ],
  ])('is refused for %s', async (why, params, row, difference) => {
    expect(await differencesOf(statement({ name: `spec.${why}`, params, row, sql: FIND }))).toContain(
      difference,
    );
  });

  it('is refused for SQL that Postgres does not understand', async () => {
    const wrong = statement({ name: 'spec.unknown column', sql: 'SELECT nothing FROM user_account' });
    expect(await differencesOf(wrong)).toEqual(['column "nothing" does not exist']);
  });
});
