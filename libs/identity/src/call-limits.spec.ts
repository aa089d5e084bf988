import { CallBudgetRepository } from '#persistence';
import { readConfig, type Config } from '#platform';
import { countStatements } from '../../testing/src/rigs/statement-count';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { CallLimits } from './call-limits';
import { BudgetSpent } from './shared-budgets';

const ADDRESS = '192.0.2.7';
const OTHER_ADDRESS = '192.0.2.8';
const NOBODYS = Buffer.alloc(32, 9);
/** The address spends 1/50 of its budget before that is stored for all replicas. */
const CONFIG: Config = readConfig({
  CALLS_PER_MINUTE: '500',
  FAILED_CALLS_PER_MINUTE: '50',
  PARTNER_CALLS_PER_MINUTE: '200',
});

let test: TestDatabase;
let limits: CallLimits;
let elsewhere: CallLimits;

const limitsOn = (config = CONFIG): CallLimits =>
  new CallLimits(new CallBudgetRepository(test.database), config);

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.database.dataSource.query('TRUNCATE call_budget');
  limits = limitsOn();
  elsewhere = limitsOn();
});

/** Number of `count` calls that are accepted before the first refusal. */
async function taken(count: number, call: () => Promise<unknown>): Promise<number> {
  for (let made = 0; made < count; made++) {
    try {
      if (typeof (await call()) === 'number') return made;
    } catch (error) {
      expect(error).toBeInstanceOf(BudgetSpent);
      expect((error as BudgetSpent).retryAfterSeconds).toBeGreaterThan(0);
      return made;
    }
  }
  return count;
}

it('accepts calls of an address up to its limit, then none from there, and all from others', async () => {
  const made = await taken(700, () => limits.call(ADDRESS));
  expect(made).toBeGreaterThanOrEqual(480);
  expect(made).toBeLessThan(600);
  await expect(limits.call(ADDRESS)).rejects.toThrow(BudgetSpent);
  await limits.call(OTHER_ADDRESS);
});

it('costs no statement below a threshold, one in many calls above it, and none when nothing is left', async () => {
  expect(await countStatements(test.database, () => taken(10, () => limits.call(ADDRESS)))).toBe(0);
  expect(await countStatements(test.database, () => taken(100, () => limits.call(ADDRESS)))).toBeLessThan(15);
  await taken(700, () => limits.call(ADDRESS));
  expect(await countStatements(test.database, () => taken(1, () => limits.call(ADDRESS)))).toBe(0);
});

it('counts for all replicas together', async () => {
  await taken(400, () => limits.call(ADDRESS));
  const made = await taken(400, () => elsewhere.call(ADDRESS));
  expect(made).toBeLessThan(250);
});

it('accepts far fewer failures, and then no call without proof', async () => {
  const made = await taken(200, () => limits.failed(ADDRESS));
  expect(made).toBeLessThanOrEqual(60);
  await expect(limits.unprovenCall(ADDRESS)).rejects.toThrow(BudgetSpent);
  await expect(limits.message(ADDRESS, '7', NOBODYS)).rejects.toThrow(BudgetSpent);
  await limits.call(ADDRESS);
  await limits.unprovenCall(OTHER_ADDRESS);
});

describe('a partner that brings the secret of a share', () => {
  const [secret, anothers] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

  beforeAll(async () => {
    const { dataSource } = test.database;
    await dataSource.query(
      `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('anna', 'Anna', 'none')`,
    );
    const values: [string, Buffer][] = [
      ['one.example', secret],
      ['two.example', anothers],
    ];
    for (const [host, hmac] of values)
      await dataSource.query(
        `WITH p AS (INSERT INTO peer (host_key) VALUES ($1) RETURNING id)
         INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect)
         SELECT id, '7', $2, '\\x00', 'anna', 'o@' || $1, 'o@' || $1, 'n', 1, 'ocm' FROM p`,
        [host, hmac],
      );
  });

  it('is accepted from an address with too many failures, for the share of that secret', async () => {
    await taken(200, () => limits.failed(ADDRESS));
    await limits.message(ADDRESS, '7', secret);
    await expect(limits.message(ADDRESS, '8', secret)).rejects.toThrow(BudgetSpent);
  });

  it('a user has a separate budget at an address that others use too', async () => {
    const made = await taken(400, () => limits.message(ADDRESS, '7', secret));
    expect(made).toBeLessThan(250);
    await limits.message(ADDRESS, '7', anothers);
    await limits.unprovenCall(ADDRESS);
    await limits.access('one.example');
  });

  it('costs one statement, and none when it is repeated', async () => {
    const message = (): Promise<boolean> => limits.message(ADDRESS, '7', secret);
    expect(await countStatements(test.database, message)).toBe(1);
    expect(await countStatements(test.database, message)).toBe(0);
  });
});
