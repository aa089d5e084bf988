import { AuthenticationFailed } from './authentication-failed';
import { FairQueue } from './fair-queue';

/** Work that ends on command, and notes its start. */
class Bench {
  readonly started: string[] = [];
  private readonly ends: (() => void)[] = [];

  constructor(private readonly queue: FairQueue) {}

  do(client: string, name = client): Promise<void> {
    return this.queue.run(client, () => {
      this.started.push(name);
      return new Promise((end) => this.ends.push(end));
    });
  }

  /** Ends running work, one after the other, until `count` have ended. */
  async end(count: number): Promise<void> {
    for (let ended = 0; ended < count; ended++) {
      this.ends.shift()!();
      await new Promise(setImmediate);
    }
  }
}

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error as AuthenticationFailed).reason,
  );

describe('a fair queue', () => {
  it('runs the maximum number of tasks at once, and the rest in turn', async () => {
    const bench = new Bench(new FairQueue(2, 8));
    const work = [bench.do('a', '1'), bench.do('b', '2'), bench.do('c', '3'), bench.do('d', '4')];
    await new Promise(setImmediate);
    expect(bench.started).toEqual(['1', '2']);
    await bench.end(1);
    expect(bench.started).toEqual(['1', '2', '3']);
    await bench.end(3);
    await Promise.all(work);
    expect(bench.started).toEqual(['1', '2', '3', '4']);
  });

  it('lets clients take turns, even if one of them wants much', async () => {
    const bench = new Bench(new FairQueue(1, 20));
    const work = [
      ...['a0', 'a1', 'a2', 'a3'].map((name) => bench.do('a', name)),
      ...['b1', 'b2'].map((name) => bench.do('b', name)),
      bench.do('c', 'c1'),
    ];
    await bench.end(7);
    await Promise.all(work);
    expect(bench.started).toEqual(['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('gives one client a quarter of its places, and limits all of them together', async () => {
    const bench = new Bench(new FairQueue(1, 8));
    const work = ['a', 'a', 'a'].map((client) => bench.do(client));
    expect(await reasonOf(bench.do('a'))).toBe('busy');
    for (const client of ['b', 'b', 'c', 'c', 'd', 'd']) work.push(bench.do(client));
    const refusal = await bench.do('e').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AuthenticationFailed);
    expect(refusal).toMatchObject({ reason: 'busy', retryAfterSeconds: 2 });
    await bench.end(9);
    await Promise.all(work);
    const later = bench.do('a');
    await bench.end(1);
    await later;
  });

  it('continues after a task that fails', async () => {
    const queue = new FairQueue(1, 4);
    const failing = (): Promise<never> => Promise.reject(new Error('broken'));
    const results = await Promise.allSettled(['a', 'b', 'c'].map((client) => queue.run(client, failing)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await queue.run('a', () => Promise.resolve('done'))).toBe('done');
  });
});
