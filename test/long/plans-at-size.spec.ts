import pg from 'pg';
import { SESSION_OPTIONS } from '#persistence';
import { createTestDatabase } from '#testing';
import { everyStatement } from '../../libs/testing/src/rigs/every-statement';
import { declaredStatements, type AnyStatement } from '../../libs/persistence/src/statement';
import { plannedAgain, type Hot } from '../bench/small-organisation';
import { fillEmptyTables } from './fill-empty-tables';
import { isFullForm } from '../../libs/testing/src/full-form';

/** Shares of the large organisation. */
const SHARES = isFullForm ? 1_000_000 : 100_000;
const SMALL = 10_000;

interface Explained {
  readonly scanned: string[];
  readonly buffers: number;
  readonly read: number;
  readonly rows: number;
  readonly ms: number;
}
const { loadOrganisation } = jest.requireActual<{
  loadOrganisation(url: string, shares: number, options?: { analyze?: boolean }): Promise<{ rows: object }>;
}>('../../bench/scale/load.mjs');
const { plannedScans } = jest.requireActual<{
  plannedScans(client: pg.Client, statement: AnyStatement): Promise<string[]>;
}>('../../bench/scale/plans.mjs');
const { hotStatements } = jest.requireActual<{
  hotStatements(client: pg.Client, declared: readonly object[]): Promise<Hot[]>;
}>('../../bench/scale/hot-statements.mjs');
const { explain } = jest.requireActual<{
  explain(client: pg.Client, statement: Hot, mode: 'custom' | 'generic'): Promise<Explained>;
}>('../../bench/scale/plans.mjs');

/** Rows of each table that the organisation leaves empty: fewer would not be large beside the others. */
const FURTHER_ROWS = SHARES / 5;

/** Statements that may read a large table from end to end: most are rare questions of operators about all rows. */
const ABOUT_ALL = [
  /^delivery_(administration|figures)\./,
  /^peer_(administration|rename)\./,
  /^sealed_secret\.count_/,
  /\.figures$/,
  // After a restore, all unfinished uploads and all contents in quarantine are without their bytes.
  /^restore\.forget_/,
  // A row per partner, or per caller of the last ten minutes; the quarantine is bounded.
  /^(partner_address_book|handshake)\.(claim|remove_ended)$/,
  /^call_budget\.forget$/,
  /^quarantine\.keep$/,
  // Our shares with all partners, for operators.
  /^unanswered_share\.list$/,
  // All cards are compared with all accounts that have one.
  /^address_card\.refresh$/,
  // Only beside the look at all of them.
  /^trashed_offer\.forget_expired$/,
  // Whether there is any row: the first one is the answer.
  /^outbox_dispatch\.to_write$/,
  // Two letters have no index: all members of the asker's groups are compared, which can be most accounts.
  /^sharee\.search_short_within/,
  // They change the schema, or the session.
  /^unfinished_restore\./,
  /^node\.plan_checks_again$/,
];

/**
 * Pages that a plan may touch more at the large size: deeper indexes, and rows of one account that lie on more pages of the
 * table.
 */
const DEEPER = 4;

/** A list may have more rows at the large size; each of them can come from so many tables. */
const TABLES_OF_A_LIST = 6;

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
  /** Of all statements, those that read a large table from end to end, with the tables. */
  readonly whole: readonly string[];
}

/** Of all statements, those whose plan for all values reads a table with many rows from end to end. */
async function wholeReads(client: pg.Client): Promise<string[]> {
  const filled = await fillEmptyTables(client, FURTHER_ROWS);
  expect(filled).toEqual(
    expect.arrayContaining(['file_version', 'trashed_node', 'node_lock', 'notification']),
  );
  await client.query('ANALYZE');
  const others = declaredStatements().filter(({ name }) => !ABOUT_ALL.some((known) => known.test(name)));
  expect(others.length).toBeGreaterThan(500);
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND reltuples > 1000",
  );
  const large = new Set(rows.map(({ name }) => name));
  expect([...large]).toEqual(expect.arrayContaining(['node', 'share', 'storage', 'received_share']));
  const whole: string[] = [];
  for (const statement of others) {
    const read = (await plannedScans(client, statement)).filter((table) => large.has(table));
    if (read.length > 0) whole.push(`${statement.name}: ${read.join()}`);
  }
  return whole;
}

async function plansOf(shares: number, { analyze = true, all = false } = {}): Promise<Plans> {
  const plans = new Map<string, Explained>();
  let again: readonly string[] = [];
  let whole: readonly string[] = [];
  await inOrganisation(shares, analyze, async (client, statements) => {
    again = await plannedAgain(client, statements);
    for (const [index, statement] of statements.entries())
      for (const mode of ['custom', 'generic'] as const)
        plans.set(`${statement.name} (${index}), ${mode}`, await explain(client, statement, mode));
    if (all) whole = await wholeReads(client);
  });
  return { plans, again, whole };
}

const scans = (plans: Map<string, Explained>) =>
  [...plans]
    .filter(([, { scanned }]) => scanned.length > 0)
    .map(([name, { scanned }]) => `${name}: ${scanned.join()}`);

describe(`hot statements among ${SHARES} shares`, () => {
  let small: Map<string, Explained>;
  let large: Map<string, Explained>;
  let again: readonly string[];
  let whole: readonly string[];
  beforeAll(async () => {
    small = (await plansOf(SMALL)).plans;
    ({ plans: large, again, whole } = await plansOf(SHARES, { all: true }));
  }, 3_600_000);

  it('read no growing table from end to end', () => {
    expect(scans(large)).toEqual([]);
  });

  it('read none, as all other statements of requests and workers', () => {
    expect(whole).toEqual([]);
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

  it('read as many rows as among 10,000, also in their functions and triggers', () => {
    const grown = [...large].flatMap(([name, { read, rows }]) => {
      const before = small.get(name)!.read;
      return read > 2 * before + TABLES_OF_A_LIST * rows + 100
        ? [`${name}: ${before} rows become ${read}`]
        : [];
    });
    expect(grown).toEqual([]);
  });

  it('do so right after all rows came, while the planner knows only the empty tables', async () => {
    const { plans } = await plansOf(SHARES, { analyze: false });
    expect(scans(plans)).toEqual([]);
    const slow = [...plans].flatMap(([name, { buffers }]) => {
      const usual = large.get(name)!.buffers;
      return buffers > DEEPER * usual + 400 ? [`${name}: ${usual} pages become ${buffers}`] : [];
    });
    expect(slow).toEqual([]);
  }, 3_600_000);
});
