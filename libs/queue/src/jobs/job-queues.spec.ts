import { jobQueueContract } from '../../../testing/src/job-queue.contract';
import { startTestRedis, type TestRedis } from '../../../testing/src/redis-server';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/test-database';
import { createLogger } from '#platform';
import { JobQueues } from './job-queues';

describe('jobs in Redis', () => {
  let redis: TestRedis;
  let opened = 0;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  jobQueueContract(async () => ({ kind: 'redis', url: redis.url, prefix: `spec-${++opened}` }));

  it('fails at once when Redis is away: the outbox keeps what was to be added', async () => {
    const lost = await startTestRedis();
    const queues = new JobQueues({ kind: 'redis', url: lost.url, prefix: 'spec' }, createLogger('silent'));
    await queues.ready();
    await lost.kill();
    await expect(
      queues.add('delivery', [{ id: 'message-1-1', job: { v: 1, messageId: 1, round: 1 } }]),
    ).rejects.toThrow();
    await queues.close();
    await lost.stop();
  });
});

describe('jobs in Postgres', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  jobQueueContract(async () => ({ kind: 'postgres', url: test.url }));
});
