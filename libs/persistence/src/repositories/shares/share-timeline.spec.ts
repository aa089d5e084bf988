import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { ACTIVITY } from './share-timeline.repository';

const EVENTS_OF_ALICE = 3;
const EVENTS_OF_OTHERS = 5_000;

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.dataSource
    .query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', '', '-');
    INSERT INTO audit_event (actor_kind, actor, action, object_type, object_id)
      SELECT 'user', CASE WHEN n <= ${EVENTS_OF_ALICE} THEN 'alice' ELSE 'other-' || n % 100 END, 'share.create', 'share', n::text
      FROM generate_series(1, ${EVENTS_OF_ALICE + EVENTS_OF_OTHERS}) n;
    ANALYZE`);
});
afterAll(() => test.drop());

it('reads the events of the user alone, in an audit log of many users', async () => {
  const parameters: Record<string, string> = {
    ...{ uid: `'alice'`, actions: `'{share.create}'`, before: '1000000', shares: '2000', limit: '50' },
  };
  const values = ACTIVITY.order.map((name) => parameters[name]).join(', ');
  const read = await rowsRead(test.database, 'audit_event', ACTIVITY.text, values);
  expect(read).toBeGreaterThanOrEqual(EVENTS_OF_ALICE);
  expect(read).toBeLessThan(10 * EVENTS_OF_ALICE);
});
