import { Batching } from './batching';

it('handles in one call what arrives together, up to its limit, in order', async () => {
  const calls: number[][] = [];
  const doubling = new Batching<number, number>(async (items) => {
    calls.push([...items]);
    return items.map((item) => item * 2);
  }, 3);
  expect(await Promise.all([1, 2, 3, 4, 5].map((item) => doubling.submit(item)))).toEqual([2, 4, 6, 8, 10]);
  expect(calls).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

it('keeps what comes during a call for the next one', async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((open) => (release = open));
  const calls: string[][] = [];
  const batching = new Batching<string, string>(async (items) => {
    calls.push([...items]);
    await gate;
    return items;
  }, 10);
  const first = batching.submit('a');
  await Promise.resolve();
  await Promise.resolve();
  const rest = [batching.submit('b'), batching.submit('c')];
  release();
  expect(await Promise.all([first, ...rest])).toEqual(['a', 'b', 'c']);
  expect(calls).toEqual([['a'], ['b', 'c']]);
});

it('rejects those of the call that failed, and goes on', async () => {
  let calls = 0;
  const batching = new Batching<number, number>(async (items) => {
    if (++calls === 1) throw new Error('the database is away');
    return items;
  }, 2);
  const results = await Promise.allSettled([1, 2, 3].map((item) => batching.submit(item)));
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
