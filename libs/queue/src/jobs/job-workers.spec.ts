import { createLogger } from '#platform';
import { createTestDatabase, eventually, type TestDatabase } from '#testing';
import { JobWorkers, type JobProcessor } from './job-workers';
import { QUEUE_NAMES, type QueueName } from './queues';

const UNHEARD = { failed: () => undefined };
const idle: JobProcessor<QueueName> = { concurrency: 1, process: async () => undefined };

describe('workers on Postgres', () => {
  let test: TestDatabase;

  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  const connections = async (): Promise<number> => {
    const rows = await test.database.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND (application_name = 'drawbridge queue' OR application_name = ANY ($1))`,
      [QUEUE_NAMES],
    );
    return rows[0]!.count;
  };

  it.each([
    ['as soon as they are made', false],
    ['when they are ready', true],
  ])('leave no connection behind when they are stopped %s', async (_when, ready) => {
    const processors = {
      delivery: idle,
      discovery: idle,
      'foreign-links': idle,
      'mail-lookups': idle,
      'partner-renames': idle,
      invitations: idle,
      schedules: idle,
    };
    const workers = new JobWorkers(
      { kind: 'postgres', url: test.url },
      processors,
      UNHEARD,
      createLogger('silent'),
    );
    const started = workers.start().catch(() => undefined);
    if (ready) await started;
    await workers.drain();
    await started;
    await eventually('the end of all connections', async () => (await connections()) === 0);
  });
});
