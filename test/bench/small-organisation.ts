import pg from 'pg';
import { SESSION_OPTIONS } from '#persistence';
import { createTestDatabase } from '#testing';
import { declaredStatements } from '../../libs/persistence/src/statement';
import { everyStatement } from '../../libs/testing/src/rigs/every-statement';

/** A frequent statement with values of the small organisation. */
export interface Hot {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}
export interface Plan {
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

const { loadOrganisation } = jest.requireActual<{
  loadOrganisation(url: string, shares: number): Promise<unknown>;
}>('../../bench/scale/load.mjs');
const { hotStatements } = jest.requireActual<{
  hotStatements(client: pg.Client, declared: readonly object[]): Promise<Hot[]>;
}>('../../bench/scale/hot-statements.mjs');
export const { explain } = jest.requireActual<{
  explain(
    client: pg.Client,
    statement: Hot,
    mode: 'custom' | 'generic',
  ): Promise<{ rows: number; read: number; scanned: string[]; plan: Plan }>;
}>('../../bench/scale/plans.mjs');

/** Runs `work` with the frequent statements and a connection to a small organisation. */
export async function withHotStatements(
  work: (client: pg.Client, statements: Hot[]) => Promise<void>,
  shares = 300,
): Promise<void> {
  const test = await createTestDatabase({ poolSize: 2 });
  const client = new pg.Client({ connectionString: test.url, options: SESSION_OPTIONS });
  try {
    await loadOrganisation(test.url, shares);
    await client.connect();
    await work(client, await hotStatements(client, await everyStatement(declaredStatements)));
  } finally {
    await client.end();
    await test.drop();
  }
}

/** Postgres plans the first five uses of a prepared statement for their values. */
const PLANNED_FOR_VALUES = 5;

/** Names of the statements that Postgres plans again for each use. */
export async function plannedAgain(client: pg.Client, statements: readonly Hot[]): Promise<string[]> {
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
  return rows.map(({ name }) => name);
}
