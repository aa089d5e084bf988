import { Batching } from './batching';

it('handles simultaneous entries in one call, up to its limit, in order', async () => {
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

it('keeps entries that arrive during a call for the next one', async () => {
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

it('rejects the entries of a failed call, and continues', async () => {
  let calls = 0;
  const batching = new Batching<number, number>(async (items) => {
    if (++calls === 1) throw new Error('the database is away');
    return items;
  }, 2);
  const results = await Promise.allSettled([1, 2, 3].map((item) => batching.submit(item)));
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
