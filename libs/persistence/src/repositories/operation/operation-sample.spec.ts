import { createTestDatabase, type TestDatabase } from '#testing';
import { OperationSampleRepository } from './operation-sample.repository';

let test: TestDatabase;
let samples: OperationSampleRepository;
beforeAll(async () => {
  test = await createTestDatabase();
  samples = new OperationSampleRepository(test.database);
});
afterAll(() => test.drop());

const HOUR_S = 3600;
const query = (sql: string): Promise<unknown> => test.database.dataSource.query(sql);

it('keeps one sample a minute, for a month', async () => {
  await query(`INSERT INTO operation_sample VALUES (now() - interval '32 days', 9, 0, 0, 0)`);
  await Promise.all([samples.take(31), samples.take(31)]);
  const [row] = (await query('SELECT count(*)::int AS count FROM operation_sample')) as { count: number }[];
  // A new minute may have begun between the two.
  expect([1, 2]).toContain(row!.count);
});

it('joins the samples of a span', async () => {
  await query('DELETE FROM operation_sample');
  await query(`INSERT INTO operation_sample SELECT date_bin('1 hour', now(), 'epoch') - interval '1 hour' + n * interval '1 minute', n, 1, n, 2
    FROM generate_series(0, 2) n`);
  expect(await samples.read(3 * HOUR_S, HOUR_S)).toMatchObject([
    { delivered: 1, givenUp: 1, waiting: 2, dead: 2 },
  ]);
  expect(await samples.read(3 * HOUR_S, 60)).toHaveLength(3);
});

it('counts the deliveries of the minute before', async () => {
  await query('DELETE FROM operation_sample');
  await query(`INSERT INTO peer (host_key) VALUES ('sampled.example')`);
  await query(`INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, finished_at, deadline_at)
    SELECT 'share', n, id, 'offer', 1, 'key' || n, '{}', 'delivered', date_trunc('minute', now()) + n * interval '20 seconds', now()
    FROM peer, generate_series(-4, 6) n`);
  await samples.take(31);
  expect(await samples.read(HOUR_S, 60)).toMatchObject([{ delivered: 3, givenUp: 0, waiting: 0, dead: 0 }]);
});
