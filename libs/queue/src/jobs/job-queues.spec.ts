import { jobQueueContract } from '../../../testing/src/contracts/job-queue.contract';
import { startTestRedis, type TestRedis } from '../../../testing/src/rigs/redis-server';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { eventually } from '../../../testing/src/waiting';
import { createLogger, Unavailable } from '#platform';
import { JobQueues } from './job-queues';
import { JobWorkers } from './job-workers';

describe('jobs in Redis', () => {
  let redis: TestRedis;
  let opened = 0;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  jobQueueContract(
    async () => ({ kind: 'redis', url: redis.url, prefix: `spec-${++opened}` }),
    () => redis.killAndRestart(),
  );

  it('fail at once if Redis is away; the outbox keeps the messages', async () => {
    const lost = await startTestRedis();
    const queues = new JobQueues({ kind: 'redis', url: lost.url, prefix: 'spec' }, createLogger('silent'));
    await queues.ready();
    await lost.kill();
    await expect(
      queues.add('delivery', [{ id: 'message-1-1', job: { v: 2, messages: [{ messageId: 1, round: 1 }] } }]),
    ).rejects.toThrow(Unavailable);
    await queues.close();
    await lost.stop();
  });

  it('log an outage in two lines, for any number of failures', async () => {
    const lost = await startTestRedis();
    const lines: { level: number; msg: string; failures?: number }[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
    const backend = { kind: 'redis', url: lost.url, prefix: 'spec' } as const;
    const queues = new JobQueues(backend, logger);
    const none = { concurrency: 1, process: async () => undefined };
    const processors = {
      delivery: none,
      discovery: none,
      'foreign-links': none,
      'mail-lookups': none,
      'partner-renames': none,
      invitations: none,
      schedules: none,
    };
    const workers = new JobWorkers(backend, processors, queues.outage, logger);
    await Promise.all([queues.ready(), workers.start()]);
    await lost.kill();
    const enter = (): Promise<true> => queues.ensureSchedule('sweep', 3_600_000).then(() => true);
    for (let count = 0; count < 20; count++) await expect(enter()).rejects.toThrow(Unavailable);
    await lost.killAndRestart();
    await eventually('that it is back', () => enter().catch(() => false));
    await eventually('the end of the outage', () => lines.length === 2);
    await workers.drain();
    await queues.close();
    await lost.stop();
    expect(lines).toMatchObject([
      { level: 40, msg: 'the queue cannot be reached' },
      { level: 30, msg: 'the queue can be reached again' },
    ]);
    // The workers may notice the outage as well.
    expect(lines[1]!.failures).toBeGreaterThanOrEqual(20);
  });

  it('stop while Redis is away, after the running jobs', async () => {
    const lost = await startTestRedis();
    const backend = { kind: 'redis', url: lost.url, prefix: 'spec' } as const;
    const queues = new JobQueues(backend, createLogger('silent'));
    const none = { concurrency: 1, process: async () => undefined };
    let release = (): void => undefined;
    const gate = new Promise<void>((open) => (release = open));
    let started = false;
    let done = false;
    const process = async (): Promise<void> => {
      started = true;
      await gate;
      done = true;
    };
    const processors = {
      delivery: { concurrency: 1, process },
      discovery: none,
      invitations: none,
      'foreign-links': none,
      'mail-lookups': none,
      'partner-renames': none,
      schedules: none,
    };
    const workers = new JobWorkers(backend, processors, queues.outage, createLogger('silent'));
    await workers.start();
    await queues.add('delivery', [
      { id: 'message-1-1', job: { v: 2, messages: [{ messageId: 1, round: 1 }] } },
    ]);
    await eventually('the start of the job', () => started);
    await lost.kill();
    const draining = workers.drain();
    release();
    await draining;
    expect(done).toBe(true);
    await queues.close();
    await lost.stop();
  });
});

describe('jobs in Postgres', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });

  jobQueueContract(
    async () => ({ kind: 'postgres', url: test.url }),
    async () => {
      const letIn = await test.cutOff();
      await letIn();
    },
  );
  // Registered last, because hooks run in order: the contract has closed everything by then.
  afterEach(() => test.drop());
});
