import pg from 'pg';
import { SecretBox } from '#platform';
import { FederationOutbox } from '../../../../testing/src/rigs/federation-outbox';
import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { eventually } from '../../../../testing/src/waiting';
import { DUE_PEERS } from './due-partners';
import { OutboxDispatchRepository } from './outbox-dispatch.repository';

const LEASE_MS = 60_000;

let test: TestDatabase;
let outbox: FederationOutbox;
let dispatch: OutboxDispatchRepository;

beforeAll(async () => {
  test = await createTestDatabase();
  outbox = new FederationOutbox(test.database);
  dispatch = new OutboxDispatchRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
});
afterAll(() => test.drop());
beforeEach(() => outbox.clear());

it('dispatches messages of the partners in question, which costs nothing for the others', async () => {
  const ids: number[] = [];
  // One after the other, since the walk along the partners goes by their ids.
  for (const name of ['a', 'b', 'c']) ids.push(await outbox.addPeer(`${name}.example`));
  for (const id of ids)
    for (let share = 1; share <= 50; share++) await outbox.write(id, 'share-create', id * 100 + share);
  await outbox.query(
    `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at, state)
     SELECT 'share', -n, ${ids[2]}, 'share-create', 1, 'busy-' || n, '{}', now(), CASE n % 3 WHEN 0 THEN 'queued' ELSE 'delivered' END
     FROM generate_series(1, 3000) AS n`,
  );
  await outbox.query('ANALYZE');
  const read = await rowsRead(test.database, 'outbox_message', DUE_PEERS.text, `'{${ids[1]}}'`);
  expect(read).toBeLessThan(5);
  const { messages, rest } = await dispatch.dispatch(LEASE_MS, { peers: [ids[1]!], after: null });
  expect(messages).toHaveLength(50);
  expect(rest).toEqual({ peers: [], after: null });
  const following = await dispatch.dispatch(LEASE_MS, { peers: [], after: ids[1]! });
  expect(following.messages).toEqual([]);
  expect((await dispatch.dispatch(LEASE_MS)).messages).toHaveLength(50);
});

it('announces new messages with their partners, or without if there are many', async () => {
  const heard: string[] = [];
  const client = new pg.Client({ connectionString: test.url });
  await client.connect();
  try {
    client.on('notification', ({ payload }) => heard.push(payload!));
    await client.query('LISTEN drawbridge_changes');
    const peer = await outbox.addPeer('a.example');
    await outbox.write(peer, 'share-create', 1);
    await eventually('one partner', () => heard.includes(`outbox:${peer}`));
    await outbox.query(
      `WITH many AS (INSERT INTO peer (host_key) SELECT 'p' || n || '.example' FROM generate_series(1, 21) AS n RETURNING id)
       INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
       SELECT 'share', id, id, 'share-create', 1, id::text, '{}', now() FROM many`,
    );
    await eventually('many partners', () => heard.includes('outbox:'));
    expect(heard.filter((one) => one.startsWith('outbox:'))).toEqual([`outbox:${peer}`, 'outbox:']);
  } finally {
    await client.end();
  }
});

it('goes on in the next dispatch behind the partners that it has looked at', async () => {
  await outbox.query(
    `WITH many AS (INSERT INTO peer (host_key) SELECT 'p' || n || '.example' FROM generate_series(1, 700) AS n RETURNING id)
     INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
     SELECT 'share', id, id, 'share-create', 1, id::text, '{}', now() FROM many`,
  );
  let { messages, rest } = await dispatch.dispatch(LEASE_MS);
  const sizes = [messages.length];
  while (rest.peers.length > 0 || rest.after !== null) {
    ({ messages, rest } = await dispatch.dispatch(LEASE_MS, rest));
    sizes.push(messages.length);
  }
  expect(sizes).toEqual([200, 200, 200, 100]);
  expect(new Set((await outbox.states()).values())).toEqual(new Set(['queued']));
});
