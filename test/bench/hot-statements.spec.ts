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

/** Their usual answer is none. Every other statement has to find rows: otherwise it would measure nothing. */
const NOTHING_TO_DO = [
  'mount.unplaced',
  'outbox.forget_finished',
  'outbox_dispatch.reclaim',
  'share.remove_expired',
];

it('hot statements of the bench run with their values on a small organisation', async () => {
  const test = await createTestDatabase({ poolSize: 2 });
  const client = new pg.Client({ connectionString: test.url });
  try {
    await loadOrganisation(test.url, 300);
    await client.connect();
    const statements = await hotStatements(client, await everyStatement(declaredStatements));
    expect(statements.length).toBeGreaterThan(30);
    const withoutRows = new Set<string>();
    for (const statement of statements)
      if ((await explain(client, statement, 'generic')).rows === 0) withoutRows.add(statement.name);
    expect([...withoutRows].sort()).toEqual(NOTHING_TO_DO);
  } finally {
    await client.end();
    await test.drop();
  }
});
