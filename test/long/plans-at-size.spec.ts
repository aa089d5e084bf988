import pg from 'pg';
import { SESSION_OPTIONS } from '#persistence';
import { createTestDatabase } from '#testing';
import { everyStatement } from '../../libs/testing/src/rigs/every-statement';
import { declaredStatements } from '../../libs/persistence/src/statement';
import { plannedAgain, type Hot } from '../bench/small-organisation';

/** Shares of the large organisation. */
const SHARES = process.env.LONG_RUNS === 'full' ? 1_000_000 : 100_000;
const SMALL = 10_000;

interface Explained {
  readonly scanned: string[];
  readonly buffers: number;
  readonly ms: number;
}
const { loadOrganisation } = jest.requireActual<{
  loadOrganisation(url: string, shares: number, options?: { analyze?: boolean }): Promise<{ rows: object }>;
}>('../../bench/scale/load.mjs');
const { hotStatements } = jest.requireActual<{
  hotStatements(client: pg.Client, declared: readonly object[]): Promise<Hot[]>;
}>('../../bench/scale/hot-statements.mjs');
const { explain } = jest.requireActual<{
  explain(client: pg.Client, statement: Hot, mode: 'custom' | 'generic'): Promise<Explained>;
}>('../../bench/scale/plans.mjs');

/**
 * Pages that a plan may touch more at the large size: deeper indexes, and rows of one account that lie on more pages of the
 * table.
 */
const DEEPER = 4;

async function inOrganisation(
  shares: number,
  analyze: boolean,
  use: (client: pg.Client, statements: Hot[]) => Promise<void>,
): Promise<void> {
  const test = await createTestDatabase({ poolSize: 4 });
  const client = new pg.Client({ connectionString: test.url, options: SESSION_OPTIONS });
  try {
    await loadOrganisation(test.url, shares, { analyze });
    await client.connect();
    await use(client, await hotStatements(client, await everyStatement(declaredStatements)));
  } finally {
    await client.end();
    await test.drop();
  }
}

interface Plans {
  /** Each hot statement with both of the plans that Postgres may choose. */
  readonly plans: Map<string, Explained>;
  /** Statements that are planned again for each use. */
  readonly again: readonly string[];
}

async function plansOf(shares: number, analyze: boolean): Promise<Plans> {
  const plans = new Map<string, Explained>();
  let again: readonly string[] = [];
  await inOrganisation(shares, analyze, async (client, statements) => {
    again = await plannedAgain(client, statements);
    for (const [index, statement] of statements.entries())
      for (const mode of ['custom', 'generic'] as const)
        plans.set(`${statement.name} (${index}), ${mode}`, await explain(client, statement, mode));
  });
  return { plans, again };
}

const scans = (plans: Map<string, Explained>) =>
  [...plans]
    .filter(([, { scanned }]) => scanned.length > 0)
    .map(([name, { scanned }]) => `${name}: ${scanned.join()}`);

describe(`hot statements among ${SHARES} shares`, () => {
  let small: Map<string, Explained>;
  let large: Map<string, Explained>;
  let again: readonly string[];
  beforeAll(async () => {
    small = (await plansOf(SMALL, true)).plans;
    ({ plans: large, again } = await plansOf(SHARES, true));
  }, 3_600_000);

  it('read no growing table from end to end', () => {
    expect(scans(large)).toEqual([]);
  });

  it('are not planned again for each use', () => {
    expect(again).toEqual([]);
  });

  it('touch as many pages as among 10,000', () => {
    const grown = [...large].flatMap(([name, { buffers }]) => {
      const before = small.get(name)!.buffers;
      return buffers > DEEPER * before + 50 ? [`${name}: ${before} pages become ${buffers}`] : [];
    });
    expect(grown).toEqual([]);
  });

  it('do so right after all rows came, while the planner knows only the empty tables', async () => {
    const { plans } = await plansOf(SHARES, false);
    expect(scans(plans)).toEqual([]);
    const slow = [...plans].flatMap(([name, { buffers }]) => {
      const usual = large.get(name)!.buffers;
      return buffers > DEEPER * usual + 400 ? [`${name}: ${usual} pages become ${buffers}`] : [];
    });
    expect(slow).toEqual([]);
  }, 3_600_000);
});
