import { Metrics } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { watchDatabase } from './instance-metrics';
import { DeliveryFiguresRepository } from './repositories/deliveries/delivery-figures.repository';

let test: TestDatabase;
let metrics: Metrics;
beforeAll(async () => {
  test = await createTestDatabase();
  metrics = new Metrics();
  watchDatabase(metrics, test.database);
});
afterAll(() => test.drop());

const query = (sql: string) => test.database.dataSource.query(sql);

/** The value of one series. */
async function valueOf(series: string): Promise<number> {
  const line = (await metrics.render()).split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

it('the server is asked for its connections and its clock', async () => {
  const used = await valueOf('drawbridge_database_server_connections{state="used"}');
  expect(used).toBeGreaterThan(0);
  expect(await valueOf('drawbridge_database_server_connections{state="allowed"}')).toBeGreaterThan(used);
  expect(Math.abs(await valueOf('drawbridge_clock_skew_seconds'))).toBeLessThan(60);
});

it('a schema differs by missing forms, and by those of a newer version', async () => {
  const differences = async () => [
    await valueOf('drawbridge_schema_differences{state="missing"}'),
    await valueOf('drawbridge_schema_differences{state="newer"}'),
  ];
  expect(await differences()).toEqual([0, 0]);
  await query(`INSERT INTO schema_migration (timestamp, name) VALUES (9999999999999, 'OfTomorrow')`);
  expect(await differences()).toEqual([0, 1]);
  await query(`DELETE FROM schema_migration WHERE name LIKE 'Locks%'`);
  expect(await differences()).toEqual([1, 1]);
});

it('partners are distinguished by their refusals within a day', async () => {
  await query(`INSERT INTO peer (host_key) VALUES ('a.example'), ('b.example'), ('c.example')`);
  await query(`INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at, state, finished_at)
    SELECT 'share', n, p.id, 'share-create', 0, host_key || n, '{}', now(), state, now() - age
    FROM peer p, generate_series(1, 3) n, LATERAL (VALUES
      ('a.example', 'refused', interval '1 hour', 3), ('b.example', 'refused', interval '1 hour', 1),
      ('b.example', 'refused', interval '2 days', 3), ('c.example', 'delivered', interval '1 hour', 3)
    ) AS one (host, state, age, upto) WHERE host = host_key AND n <= upto AND (host <> 'b.example' OR (upto = 1) = (n = 1))`);
  const figures = new DeliveryFiguresRepository(test.database);
  expect(await figures.refusing(10)).toEqual([
    { host: 'a.example', messages: 3 },
    { host: 'b.example', messages: 1 },
  ]);
  expect(await figures.refusing(1)).toHaveLength(1);
});
