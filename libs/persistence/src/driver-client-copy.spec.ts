import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { DriverClient } from './driver-client';

const COPY = `COPY (SELECT n, repeat('äb', n % 300), n * 7 FROM generate_series(1, 20000) AS n) TO STDOUT`;
const MANY = {
  name: 'spec.many',
  text: `SELECT repeat('z', n % 900) AS z FROM generate_series(1, 500) AS n`,
};

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Digest of what a client reads by COPY and by a statement afterwards, slowly, while others read. */
async function digestBy(Client: typeof pg.Client, others: number): Promise<string> {
  const pool = new pg.Pool({ connectionString: test.url, Client });
  const hash = createHash('sha256');
  let isDone = false;
  const readOn = async (): Promise<void> => {
    while (!isDone) await pool.query(MANY);
  };
  const reads = Array.from({ length: others }, readOn);
  const client = await pool.connect();
  for await (const chunk of client.query(copyTo(COPY))) {
    hash.update(chunk as Buffer);
    await nextTurn();
  }
  const { rows } = await client.query<{ z: string }>(MANY);
  hash.update(rows.map(({ z }) => z).join());
  isDone = true;
  await Promise.all(reads);
  client.release();
  await pool.end();
  return hash.digest('hex');
}

it('reads the same by COPY as a client of the driver, while other connections read', async () => {
  expect(await digestBy(DriverClient, 3)).toBe(await digestBy(pg.Client, 0));
});
