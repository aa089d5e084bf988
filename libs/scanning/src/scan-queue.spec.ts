import { Readable } from 'node:stream';
import { ScanQueue } from './scan-queue';
import {
  ScannerFailure,
  ScannerHungUp,
  type ScannedContent,
  type Scanner,
  type ScannerAnswer,
} from './scanner';

/** A scanner that answers on command. */
class SlowScanner implements Scanner {
  readonly underWay: ((answer: ScannerAnswer | Error) => void)[] = [];
  readonly repeated: boolean[] = [];

  scan(_open: () => Promise<ScannedContent>, isRepeated = false): Promise<ScannerAnswer> {
    this.repeated.push(isRepeated);
    return new Promise((resolve, reject) =>
      this.underWay.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    );
  }

  describe(): Promise<string> {
    return Promise.resolve('slow');
  }
}

const open = (): Promise<ScannedContent> =>
  Promise.resolve({ body: Readable.from([]), size: 0, name: 'name' });
const turn = (): Promise<void> => new Promise(setImmediate);
const CLEAN = { kind: 'clean' } as const;

it('passes on the maximum number of contents, and the next one when a place is free', async () => {
  const scanner = new SlowScanner();
  const queue = new ScanQueue(scanner, { atOnce: 2, waitMs: 60_000 });
  const verdicts = [1, 2, 3].map(() => queue.scan(open));
  await turn();
  expect(scanner.underWay).toHaveLength(2);
  scanner.underWay[0]!(CLEAN);
  await turn();
  expect(scanner.underWay).toHaveLength(3);
  for (const answer of scanner.underWay) answer(CLEAN);
  expect(await Promise.all(verdicts)).toEqual([CLEAN, CLEAN, CLEAN]);
  const later = queue.scan(open);
  await turn();
  scanner.underWay[3]!(CLEAN);
  expect(await later).toEqual(CLEAN);
});

it('gives no verdict on a content that waits too long, or exceeds the limit', async () => {
  const scanner = new SlowScanner();
  const queue = new ScanQueue(scanner, { atOnce: 1, waitMs: 20 });
  const first = queue.scan(open);
  const waiting = Array.from({ length: 25 }, () => queue.scan(open));
  expect(await queue.scan(open)).toMatchObject({
    kind: 'unreachable',
    error: { message: 'too many contents wait for it' },
  });
  for (const verdict of await Promise.all(waiting)) expect(verdict.kind).toBe('unreachable');
  scanner.underWay[0]!(CLEAN);
  expect(await first).toEqual(CLEAN);
  expect(scanner.underWay).toHaveLength(1);
});

it('frees its place after any failure', async () => {
  const scanner = new SlowScanner();
  const queue = new ScanQueue(scanner, { atOnce: 1, waitMs: 60_000 });
  const [failing, unreadable] = [queue.scan(open), queue.scan(open)];
  await turn();
  scanner.underWay[0]!(new ScannerFailure('it hung up'));
  expect(await failing).toMatchObject({ kind: 'unreachable' });
  await turn();
  scanner.underWay[1]!(new Error('the store is gone'));
  await expect(unreadable).rejects.toThrow('the store is gone');
  const last = queue.scan(open);
  await turn();
  scanner.underWay[2]!(CLEAN);
  expect(await last).toEqual(CLEAN);
});

it('tries again, slowly and three times in all, if a scanner closed the connection', async () => {
  const scanner = new SlowScanner();
  const queue = new ScanQueue(scanner, { atOnce: 1, waitMs: 60_000 });
  const hangUp = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      await turn();
      scanner.underWay.at(-1)!(new ScannerHungUp('write EPIPE'));
    }
    await turn();
  };
  const answered = queue.scan(open);
  await hangUp(2);
  scanner.underWay.at(-1)!(CLEAN);
  expect(await answered).toEqual(CLEAN);
  const unanswered = queue.scan(open);
  await hangUp(3);
  expect(await unanswered).toMatchObject({ kind: 'unreachable', error: { message: 'write EPIPE' } });
  expect(scanner.repeated).toEqual([false, true, true, false, true, true]);
});
