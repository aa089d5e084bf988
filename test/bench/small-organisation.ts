import pg from 'pg';
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
  ): Promise<{ rows: number; plan: Plan }>;
}>('../../bench/scale/plans.mjs');

/** Runs `work` with the frequent statements and a connection to a small organisation. */
export async function withHotStatements(
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
