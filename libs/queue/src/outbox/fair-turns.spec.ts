import { SecretBox } from '#platform';
import { OutboxDispatchRepository } from '#persistence';
import { FederationOutbox } from '../../../testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { PartnersToSearch } from './partners-to-search';

const PARTNERS = 1500;
const EACH = 6;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const WRITE = `WITH many AS (
    INSERT INTO peer (host_key, rate_per_second, rate_burst) SELECT 'p' || n || '.example', 1e6, 1000000 FROM generate_series(1, ${PARTNERS}) AS n RETURNING id
  )
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
  SELECT 'share', id * ${EACH} + n, id, 'share-create', 1, id || '-' || n, '{}', now() + interval '1 day' FROM many, generate_series(1, ${EACH}) AS n`;
const DELIVER = `UPDATE outbox_message SET state = 'delivered', finished_at = now(), lease_until = NULL
  WHERE id = ANY ($1::bigint[]) RETURNING peer_id`;
const BY_PARTNER = `SELECT count(*) FILTER (WHERE state = 'delivered')::int AS delivered FROM outbox_message GROUP BY peer_id`;

it('gives each of many partners its turn, also while those that were served are named again at once', async () => {
  const outbox = new FederationOutbox(test.database);
  await outbox.query(WRITE);
  const dispatch = new OutboxDispatchRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
  const partners = new PartnersToSearch(60_000);
  const counts: number[] = [];
  for (let delivered = 0; delivered < (PARTNERS * EACH) / 2;) {
    const { messages } = await partners.search((search) => dispatch.dispatch(60_000, search));
    expect(messages.length).toBeGreaterThan(0);
    const [rows] = (await outbox.query(DELIVER, [messages.map(({ messageId }) => messageId)])) as [
      { peer_id: number }[],
      number,
    ];
    delivered += rows.length;
    partners.add(rows.map((row) => row.peer_id));
  }
  for (const { delivered } of await outbox.query<{ delivered: number }>(BY_PARTNER)) counts.push(delivered);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const fairness = sum(counts) ** 2 / (counts.length * sum(counts.map((one) => one ** 2)));
  // If each partner had one or two turns, it would be 0.9.
  expect(fairness).toBeGreaterThan(0.8);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});
