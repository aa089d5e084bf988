import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createLogger } from '#platform';
import { BlobSweep, DiskBlobStore } from '#storage';
import { eventually } from '#testing';
import { BlobSweepSchedule } from './blob-sweep.schedule';

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-sweep-schedule-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const DAY_MS = 24 * 3_600_000;

it('a running sweep ends before the process ends, and removes nothing more', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] });
  const blobs = await DiskBlobStore.open(directory);
  const { blobKey } = await blobs.write(Readable.from(['no node refers to it']));
  let probe = (_found: Set<string>): void => undefined;
  let isLooking = false;
  const files = {
    referenced: (): Promise<Set<string>> => {
      isLooking = true;
      return new Promise((resolve) => (probe = resolve));
    },
    areHeld: () => Promise.resolve(false),
    filesAfter: () => Promise.resolve([]),
    versionsAfter: () => Promise.resolve([]),
  };
  const lines: unknown[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const sweep = new BlobSweep(blobs, files, () => Date.now() + 2 * DAY_MS);
  const schedule = new BlobSweepSchedule(sweep, logger);
  schedule.onApplicationBootstrap();
  jest.advanceTimersByTime(DAY_MS);
  jest.useRealTimers();
  await eventually('the sweep', () => isLooking);

  let isStopped = false;
  const stopped = schedule.beforeApplicationShutdown().then(() => (isStopped = true));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  probe(new Set());
  await stopped;
  expect(await blobs.has(blobKey)).toBe(true);
  expect(lines).toMatchObject([{ level: 30, orphans: 0, msg: 'the sweep of the blob store was cut short' }]);
});
