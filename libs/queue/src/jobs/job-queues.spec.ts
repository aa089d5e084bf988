import { jobQueueContract } from '../../../testing/src/job-queue.contract';
import { startTestRedis, type TestRedis } from '../../../testing/src/redis-server';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/test-database';
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

  it('fails at once when Redis is away: the outbox keeps what was to be added', async () => {
    const lost = await startTestRedis();
    const queues = new JobQueues({ kind: 'redis', url: lost.url, prefix: 'spec' }, createLogger('silent'));
    await queues.ready();
    await lost.kill();
    await expect(
      queues.add('delivery', [{ id: 'message-1-1', job: { v: 1, messageId: 1, round: 1 } }]),
    ).rejects.toThrow(Unavailable);
    await queues.close();
    await lost.stop();
  });

  it('stops while Redis is away, with the jobs under way done', async () => {
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
      schedules: none,
    };
    const workers = new JobWorkers(backend, processors, createLogger('silent'));
    await workers.start();
    await queues.add('delivery', [{ id: 'message-1-1', job: { v: 1, messageId: 1, round: 1 } }]);
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
  // Afterwards, since hooks run in their order: what the contract has opened is closed by then.
  afterEach(() => test.drop());
});
