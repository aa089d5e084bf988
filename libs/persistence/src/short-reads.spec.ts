import { Socket } from 'node:net';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { Database } from './database';
import './index';
import { int4, int8, text } from './postgres-types';
import { declaredStatements, statement } from './statement';

const WHO = statement({
  name: 'spec.short_who',
  isShortRead: true,
  params: { number: int8 },
  row: { number: int8, pid: int4 },
  sql: 'SELECT :number::bigint AS number, pg_backend_pid() AS pid',
});
const REFUSED = statement({
  name: 'spec.short_refused',
  isShortRead: true,
  params: { number: int8 },
  row: { number: int8 },
  sql: 'SELECT 1 / :number::bigint AS number',
});
const CUT = statement({
  name: 'spec.short_cut',
  isShortRead: true,
  row: { done: text },
  sql: 'SELECT pg_terminate_backend(pg_backend_pid())::text AS done',
});

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('short reads', () => {
  const who = (number: number) => test.database.rows(WHO, { number });

  it('of one moment share two connections, and each has its own rows', async () => {
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const rows = (await Promise.all(numbers.map(who))).flat();
    expect(rows.map(({ number }) => number)).toEqual(numbers);
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2);
  });

  it('of one moment are sent by one call of the system for each connection', async () => {
    await Promise.all([who(1), who(2)]);
    const sent = jest.spyOn(Socket.prototype as unknown as { _writev(): void }, '_writev');
    await Promise.all(Array.from({ length: 40 }, (_, number) => who(number)));
    expect(sent).toHaveBeenCalledTimes(2);
    sent.mockRestore();
  });

  it('give their connections back', async () => {
    await Promise.all([who(1), who(2), who(3)]);
    expect(test.database.usage().busy).toBe(0);
  });

  it('fail alone', async () => {
    const results = await Promise.allSettled([
      who(1),
      test.database.rows(REFUSED, { number: 0 }),
      who(2),
      test.database.rows(REFUSED, { number: 1 }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });

  it('fail with their connection, and later ones get another', async () => {
    const results = await Promise.allSettled([who(1), test.database.rows(CUT), who(2), who(3), who(4)]);
    expect(results.some(({ status }) => status === 'rejected')).toBe(true);
    expect((await who(5))[0]!.number).toBe(5);
    expect(test.database.usage().busy).toBe(0);
  });

  it('fail when there is no connection', async () => {
    const closed = await Database.connect({ url: test.url, poolSize: 1, applicationName: 'spec' });
    await closed.close();
    const results = await Promise.allSettled([1, 2, 3].map((number) => closed.rows(WHO, { number })));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('neither write nor lock', () => {
    const short = declaredStatements().filter(
      ({ isShortRead, name }) => isShortRead && !name.startsWith('spec.'),
    );
    expect(short.length).toBeGreaterThan(10);
    const writes =
      /\b(?:INSERT|UPDATE|DELETE|MERGE|nextval|set_config|pg_advisory\w*|tell_\w+)\b|\bFOR (?:KEY )?SHARE\b/;
    expect(short.filter(({ text: sql }) => writes.test(sql)).map(({ name }) => name)).toEqual([]);
  });
});
