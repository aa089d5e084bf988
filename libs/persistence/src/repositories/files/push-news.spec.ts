import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { eventually } from '../../../../testing/src/waiting';
import { PushNewsRepository, type NewsPosition } from './push-news.repository';

let test: TestDatabase;
let news: PushNewsRepository;
beforeAll(async () => {
  test = await createTestDatabase({ poolSize: 4 });
  news = new PushNewsRepository(test.database);
});
beforeEach(() => test.database.dataSource.query('TRUNCATE push_news'));
afterAll(() => test.drop());

const add = (key: string): Promise<unknown> =>
  test.database.dataSource.query(`SELECT add_news('node', $1)`, [key]);

/** A transaction that added this news and is not committed. */
async function adding(key: string): Promise<() => Promise<void>> {
  const runner = test.database.dataSource.createQueryRunner();
  await runner.query('BEGIN');
  await runner.query(`SELECT add_news('node', $1)`, [key]);
  return async () => {
    await runner.query('COMMIT');
    await runner.release();
  };
}

let position: NewsPosition;
async function read(limit = 1000): Promise<string[]> {
  const found = await news.read(position, limit);
  position = found.position;
  return found.news.map(({ topic, key }) => `${topic} ${key}`);
}

it('are read once each, in whatever order their transactions end', async () => {
  await add('before');
  const first = await adding('first');
  position = await news.begin();
  const second = await adding('second');
  await add('third');
  expect(await read()).toEqual(['node third']);
  expect(await read()).toEqual([]);
  await second();
  expect(await read()).toEqual(['node second']);
  await first();
  await add('fourth');
  expect((await read()).sort()).toEqual(['node first', 'node fourth']);
  expect(await read()).toEqual([]);
  // Transactions in other databases of the server count, too.
  await eventually('all earlier transactions have ended', async () => {
    expect(await read()).toEqual([]);
    return position.seen.length === 0;
  });
});

it('are one if a transaction repeats them', async () => {
  position = await news.begin();
  await test.database.dataSource.query(`SELECT add_news('node', '7'), add_news('node', '7')`);
  expect(await read()).toEqual(['node 7']);
});

it('are left out if there are too many, and reading goes on after them', async () => {
  position = await news.begin();
  for (const key of ['1', '2', '3']) await add(key);
  expect(await news.read(position, 3)).toMatchObject({ news: [], isComplete: false });
  expect(await news.read(position, 4)).toMatchObject({ isComplete: true });
  const found = await news.read(position, 3);
  position = found.position;
  await add('4');
  expect(await read()).toEqual(['node 4']);
});

it('do not pile up in memory during a long transaction', async () => {
  const end = await adding('long');
  position = await news.begin();
  for (const key of ['1', '2', '3']) {
    await add(key);
    await read(3);
    expect(position.seen.length).toBeLessThan(3);
  }
  await add('4');
  expect(await read()).toEqual(['node 4']);
  await end();
});

it('are deleted after a minute', async () => {
  await add('old');
  await test.database.dataSource.query(`UPDATE push_news SET written_at = now() - interval '61 seconds'`);
  await add('new');
  expect(await news.forget(10)).toBe(1);
  position = { from: 0, seen: [] };
  expect(await read()).toEqual(['node new']);
});
