import pg from 'pg';
import { createTestDatabase } from '#testing';
import { everyStatement } from '../../libs/testing/src/rigs/every-statement';
import { declaredStatements } from '../../libs/persistence/src/statement';

interface Hot {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}
const { loadOrganisation } = jest.requireActual<{
  loadOrganisation(url: string, shares: number): Promise<unknown>;
}>('../../bench/scale/load.mjs');
const { hotStatements } = jest.requireActual<{
  hotStatements(client: pg.Client, declared: readonly object[]): Promise<Hot[]>;
}>('../../bench/scale/hot-statements.mjs');
const { explain } = jest.requireActual<{
  explain(client: pg.Client, statement: Hot, mode: 'custom' | 'generic'): Promise<{ rows: number }>;
}>('../../bench/scale/plans.mjs');

/** Their usual answer is none, or they return nothing (`node.propagate`). Every other statement has to find rows: otherwise it would measure nothing. */
const NOTHING_TO_DO = [
  'mount.unplaced',
  'node.propagate',
  'outbox.forget_finished',
  'outbox_dispatch.reclaim',
  'share.remove_expired',
];

/** Statements that change nothing in a transaction of the test itself. */
async function withHotStatements(
  work: (client: pg.Client, statements: Hot[]) => Promise<void>,
): Promise<void> {
  const test = await createTestDatabase({ poolSize: 2 });
  const client = new pg.Client({ connectionString: test.url });
  try {
    await loadOrganisation(test.url, 300);
    await client.connect();
    await work(client, await hotStatements(client, await everyStatement(declaredStatements)));
  } finally {
    await client.end();
    await test.drop();
  }
}

it('hot statements of the bench run with their values on a small organisation', () =>
  withHotStatements(async (client, statements) => {
    expect(statements.length).toBeGreaterThan(30);
    const withoutRows = new Set<string>();
    for (const statement of statements)
      if ((await explain(client, statement, 'generic')).rows === 0) withoutRows.add(statement.name);
    expect([...withoutRows].sort()).toEqual(NOTHING_TO_DO);
  }));

/** Postgres plans the first five uses of a prepared statement for their values. */
const PLANNED_FOR_VALUES = 5;

it('hot statements of the bench are not planned again for each use', () =>
  withHotStatements(async (client, statements) => {
    for (const { name, text, values } of statements)
      for (let use = 0; use < PLANNED_FOR_VALUES + 3; use++) {
        await client.query('BEGIN');
        await client.query({ name, text, values: [...values] });
        await client.query('ROLLBACK');
      }
    const { rows } = await client.query<{ name: string }>(
      'SELECT name FROM pg_prepared_statements WHERE custom_plans > $1 ORDER BY name',
      [PLANNED_FOR_VALUES],
    );
    expect(rows.map(({ name }) => name)).toEqual([]);
  }));
