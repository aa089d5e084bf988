import { createLogger } from '#platform';
import { createTestDatabase, eventually, type TestDatabase } from '#testing';
import { JobQueues } from './job-queues';
import { JobWorkers, type JobProcessor, type JobProcessors } from './job-workers';
import type { QueueName } from './queues';
import { WORKER_SESSION } from './shared-postgres';

const UNHEARD = { failed: () => undefined };
const idle: JobProcessor<QueueName> = { concurrency: 1, process: async () => undefined };

const IDLE: JobProcessors = {
  delivery: idle,
  discovery: idle,
  'foreign-links': idle,
  'mail-lookups': idle,
  'partner-renames': idle,
  invitations: idle,
  schedules: idle,
};
const SILENT = createLogger('silent');

describe('workers on Postgres', () => {
  let test: TestDatabase;

  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  const sessions = async (...names: string[]): Promise<number[]> => {
    const rows = await test.database.dataSource.query<{ pid: number }[]>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY ($1)',
      [names],
    );
    return rows.map(({ pid }) => pid);
  };

  it.each([
    ['as soon as they are made', false],
    ['when they are ready', true],
  ])('leave no connection behind when they are stopped %s', async (_when, ready) => {
    const workers = new JobWorkers({ kind: 'postgres', url: test.url }, IDLE, UNHEARD, SILENT);
    const started = workers.start().catch(() => undefined);
    if (ready) await started;
    await workers.drain();
    await started;
    await eventually(
      'the end of all connections',
      async () => (await sessions('drawbridge queue', WORKER_SESSION)).length === 0,
    );
  });

  it('wait on one connection for the jobs of all queues, and on a new one when it is cut', async () => {
    const done: unknown[] = [];
    const keep = { concurrency: 1, process: async (job: unknown) => void done.push(job) };
    const backend = { kind: 'postgres', url: test.url } as const;
    const workers = new JobWorkers(backend, { ...IDLE, discovery: keep, invitations: keep }, UNHEARD, SILENT);
    const queues = new JobQueues(backend, SILENT);
    const wantBoth = async (round: number): Promise<void> => {
      const discovery = { v: 1, hostKey: `partner-${round}` } as const;
      const invitation = { v: 1, acceptanceId: round } as const;
      await queues.add('discovery', [{ id: `d-${round}`, job: discovery }]);
      await queues.add('invitations', [{ id: `i-${round}`, job: invitation }]);
      await eventually('both jobs', () => done.length === 2 * round);
      expect(done.slice(-2)).toEqual(expect.arrayContaining([discovery, invitation]));
    };
    try {
      await workers.start();
      const [first, ...others] = await sessions(WORKER_SESSION);
      expect(others).toEqual([]);
      await wantBoth(1);
      await test.database.dataSource.query('SELECT pg_terminate_backend($1)', [first]);
      await eventually('the next connection', async () => {
        const now = await sessions(WORKER_SESSION);
        return now.length === 1 && now[0] !== first;
      });
      await wantBoth(2);
    } finally {
      await workers.drain();
      await queues.close();
    }
  });
});
