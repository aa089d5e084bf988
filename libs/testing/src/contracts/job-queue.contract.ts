import { createLogger } from '#platform';
import { JobQueues, JobWorkers, type JobOf, type JobProcessors, type QueueBackend } from '#queue';
import { eventually } from '../waiting';

const logger = createLogger('silent');
type Delivery = JobOf<'delivery'>;
const jobOf = (messageId: number, round = 1) => ({
  id: `message-${messageId}-${round}`,
  job: { v: 2 as const, messages: [{ messageId, round }] },
});
const idIn = ({ messages }: Delivery): number => messages[0]!.messageId;

/**
 * Contract of queues and workers on any backend.
 * @param open returns an empty backend
 * @param interrupt cuts every connection to the backend; jobs may be lost
 */
export function jobQueueContract(open: () => Promise<QueueBackend>, interrupt: () => Promise<void>): void {
  let backend: QueueBackend;
  let queues: JobQueues;
  let opened: { close(): Promise<void> }[];

  beforeEach(async () => {
    backend = await open();
    queues = new JobQueues(backend, logger);
    opened = [queues];
    await queues.ready();
  });
  afterEach(async () => {
    for (const one of opened.reverse()) await one.close();
  });

  async function work(
    process: Partial<{ [Q in keyof JobProcessors]: JobProcessors[Q]['process'] }>,
    concurrency = 5,
    closingLimitMs?: number,
    settled?: () => Promise<void>,
  ) {
    const none = async (): Promise<void> => undefined;
    const processors: JobProcessors = {
      delivery: { concurrency, settled, process: process.delivery ?? none },
      discovery: { concurrency, process: process.discovery ?? none },
      invitations: { concurrency, process: process.invitations ?? none },
      'foreign-links': { concurrency, process: process['foreign-links'] ?? none },
      'mail-lookups': { concurrency, process: process['mail-lookups'] ?? none },
      'partner-renames': { concurrency, process: process['partner-renames'] ?? none },
      schedules: { concurrency: 1, process: process.schedules ?? none },
    };
    const workers = new JobWorkers(backend, processors, queues.outage, logger, closingLimitMs);
    opened.push({ close: () => workers.drain() });
    await workers.start();
    return workers;
  }

  it('gives a job to its processor unchanged', async () => {
    const seen: unknown[] = [];
    await work({
      delivery: async (job) => void seen.push(job),
      discovery: async (job) => void seen.push(job),
    });
    await queues.add('delivery', [jobOf(7, 3)]);
    await queues.add('discovery', [{ id: 'discover-x', job: { v: 1, hostKey: 'cloud.example.org' } }]);
    await eventually('both jobs', () => seen.length === 2);
    expect(seen).toEqual(
      expect.arrayContaining([
        { v: 2, messages: [{ messageId: 7, round: 3 }] },
        { v: 1, hostKey: 'cloud.example.org' },
      ]),
    );
  });

  it('ignores a job whose id is already in the queue', async () => {
    await queues.add('delivery', [jobOf(1), jobOf(1), jobOf(2)]);
    await queues.add('delivery', [jobOf(2)]);
    expect(await queues.backlog('delivery')).toBe(2);
    const seen: Delivery[] = [];
    await work({ delivery: async (job) => void seen.push(job) });
    await eventually('an empty queue', async () => (await queues.backlog('delivery')) === 0);
    expect(seen.map(idIn).sort()).toEqual([1, 2]);
  });

  it('reports the waiting time of the oldest job', async () => {
    expect(await queues.oldest('delivery')).toBe(0);
    await queues.add('delivery', [jobOf(1)]);
    const waited = await eventually('an age', async () => {
      const seconds = await queues.oldest('delivery');
      return seconds > 0.5 ? seconds : undefined;
    });
    await queues.add('delivery', [jobOf(2)]);
    expect(await queues.oldest('delivery')).toBeGreaterThanOrEqual(waited);
    await work({});
    await eventually('no job that waits', async () => (await queues.oldest('delivery')) === 0);
  });

  it('continues by itself after its backend was unreachable', async () => {
    const seen: number[] = [];
    await work({ delivery: async (job) => void seen.push(idIn(job)) });
    await queues.add('delivery', [jobOf(1)]);
    await eventually('the first job', () => seen.length === 1);
    await interrupt();
    const add = (): Promise<true> => queues.add('delivery', [jobOf(2)]).then(() => true);
    await eventually('the queue to be back', () => add().catch(() => false));
    await eventually('the second job', () => seen.includes(2));
  });

  it('forgets a completed job, so its id can be used again', async () => {
    let done = 0;
    await work({ delivery: async () => void done++ });
    for (const expected of [1, 2]) {
      await queues.add('delivery', [jobOf(5)]);
      await eventually('the job', async () => done === expected && (await queues.backlog('delivery')) === 0);
    }
  });

  it('repeats a failed job', async () => {
    let starts = 0;
    await work({
      delivery: async () => {
        if (++starts === 1) throw new Error('the database is away');
      },
    });
    await queues.add('delivery', [jobOf(9)]);
    await eventually('the repetition', async () => starts === 2 && (await queues.backlog('delivery')) === 0);
  });

  it('drops unreadable jobs, and leaves jobs of a newer version', async () => {
    const seen: Delivery[] = [];
    await work({ delivery: async (job) => void seen.push(job) });
    await queues.add('delivery', [
      { id: 'message-1-1', job: { v: 1, messageId: 'secret' } as unknown as Delivery },
      { id: 'message-2-1', job: { v: 3, something: 'else' } as unknown as Delivery },
      jobOf(3),
    ]);
    await eventually(
      'the readable job',
      async () => seen.length === 1 && (await queues.backlog('delivery')) === 1,
    );
    expect(seen.map(idIn)).toEqual([3]);
  });

  it('reads jobs for one message, which the version before added', async () => {
    const seen: Delivery[] = [];
    await work({ delivery: async (job) => void seen.push(job) });
    const old = { v: 1, messageId: 4, round: 2 } as unknown as Delivery;
    await queues.add('delivery', [{ id: 'message-4-2', job: old }]);
    await eventually('the job', () => seen.length === 1);
    expect(seen).toEqual([jobOf(4, 2).job]);
  });

  it('finishes work that goes on after the end of its job before it stops', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((open_) => (release = open_));
    let isStarted = false;
    let isDrained = false;
    const delivery = async (): Promise<void> => void (isStarted = true);
    const workers = await work({ delivery }, 1, undefined, () => gate);
    await queues.add('delivery', [jobOf(1)]);
    await eventually('the end of the job', async () => isStarted && (await queues.backlog('delivery')) === 0);
    const draining = workers.drain().then(() => (isDrained = true));
    for (let turn = 0; turn < 100; turn++) await queues.backlog('delivery');
    expect(isDrained).toBe(false);
    release();
    await draining;
  });

  it('runs as many jobs at once as its processor allows', async () => {
    let underWay = 0;
    let most = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((open_) => (release = open_));
    await work({
      delivery: async () => {
        most = Math.max(most, ++underWay);
        await gate;
        underWay--;
      },
    });
    await queues.add(
      'delivery',
      Array.from({ length: 12 }, (_, index) => jobOf(index + 1)),
    );
    await eventually('five jobs at once', () => underWay === 5);
    release();
    await eventually('an empty queue', async () => (await queues.backlog('delivery')) === 0);
    expect(most).toBe(5);
  });

  it('finishes running jobs before it stops, and leaves the others', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((open_) => (release = open_));
    let started = 0;
    let finished = 0;
    const workers = await work(
      {
        delivery: async () => {
          started++;
          await gate;
          finished++;
        },
      },
      1,
    );
    await queues.add('delivery', [jobOf(1), jobOf(2)]);
    await eventually('the first job', () => started === 1);
    const draining = workers.drain();
    release();
    await draining;
    expect([started, finished]).toEqual([1, 1]);
    expect(await queues.backlog('delivery')).toBe(1);
  });

  it('waits longer for running jobs than for the queue', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((open_) => (release = open_));
    let isStarted = false;
    let isDrained = false;
    const delivery = (): Promise<void> => {
      isStarted = true;
      return gate;
    };
    const workers = await work({ delivery }, 1, 10);
    await queues.add('delivery', [jobOf(1)]);
    await eventually('the job', () => isStarted);
    const draining = workers.drain().then(() => (isDrained = true));
    for (let turn = 0; turn < 200; turn++) await queues.backlog('delivery');
    expect(isDrained).toBe(false);
    release();
    await draining;
  });

  it('keeps one waiting run of a schedule, for any number of workers that add it', async () => {
    const other = new JobQueues(backend, logger);
    opened.push(other);
    for (const one of [queues, other, queues]) await one.ensureSchedule('sweep', 3_600_000);
    expect(await queues.backlog('schedules')).toBe(1);
    const runs: string[] = [];
    for (let count = 0; count < 2; count++)
      await work({ schedules: async ({ schedule }) => void runs.push(schedule) });
    await eventually('the first run', () => runs.length > 0);
    await eventually('the next one waiting', async () => (await queues.backlog('schedules')) === 1);
    await other.ensureSchedule('sweep', 3_600_000);
    expect(runs).toEqual(['sweep']);
  });
}
