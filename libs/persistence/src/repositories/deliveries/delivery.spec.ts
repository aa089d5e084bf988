import { SecretBox } from '#platform';
import type { DeliveryOutcome } from '#federation/exchange';
import { FederationOutbox } from '../../../../testing/src/rigs/federation-outbox';
import { rowsRead } from '../../../../testing/src/rigs/rows-read';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { DeliveryAdministrationRepository } from './delivery-administration.repository';
import { DeliveryRepository, type ClaimedMessage } from './delivery.repository';
import { DUE_PEERS, WALK } from './due-partners';
import { OutboxDispatchRepository } from './outbox-dispatch.repository';
import { OutboxRepository } from './outbox.repository';
import { PeerAdministrationRepository } from '../partners/peer-administration.repository';

const LEASE_MS = 60_000;
const ok: DeliveryOutcome = { kind: 'delivered' };
const down: DeliveryOutcome = { kind: 'retry', errorClass: 'network', message: 'connection refused' };
const refused: DeliveryOutcome = { kind: 'refused', errorClass: 'rejected', message: 'User does not exist' };

let test: TestDatabase;
let outbox: FederationOutbox;
let dispatch: OutboxDispatchRepository;
let deliveries: DeliveryRepository;
let administration: DeliveryAdministrationRepository;
let peers: PeerAdministrationRepository;

beforeAll(async () => {
  test = await createTestDatabase();
  outbox = new FederationOutbox(test.database);
  dispatch = new OutboxDispatchRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
  deliveries = new DeliveryRepository(test.database, { next: () => 0.5 });
  administration = new DeliveryAdministrationRepository(test.database);
  peers = new PeerAdministrationRepository(test.database);
});
afterAll(() => test.drop());
beforeEach(() => outbox.clear());

const dispatched = async () => (await dispatch.dispatch(LEASE_MS)).messages;
const dispatchedIds = async () => (await dispatched()).map((one) => one.messageId).sort((a, b) => a - b);

async function claimAll(): Promise<ClaimedMessage[]> {
  return deliveries.claim(await dispatched(), LEASE_MS);
}

async function attemptAll(outcome: DeliveryOutcome): Promise<number> {
  return deliveries.settle((await claimAll()).map((message) => ({ message, outcome })));
}

const stateOf = async (messageId: number | undefined) => (await outbox.states()).get(messageId!);

it('a message that was not sent leaves the breaker of its partner open', async () => {
  const peer = await outbox.addPeer('a.example');
  for (let share = 1; share <= 6; share++) await outbox.write(peer, 'share-create', share);
  await outbox.write(peer, 'received-accept', 9);
  const claimed = await claimAll();
  const last = claimed.find(({ kind }) => kind === 'received-accept')!;
  const others = claimed.filter((message) => message !== last);
  await deliveries.settle(others.map((message) => ({ message, outcome: down })));
  const gate = async () =>
    (await outbox.query<{ gate: { breaker: object } }>('SELECT gate FROM peer'))[0]!.gate.breaker;
  const open = await gate();
  expect(open).toMatchObject({ openUntilMs: expect.any(Number) });
  await deliveries.settle([
    { message: { ...last, peerTroubled: true }, outcome: { kind: 'not-sent', message: 'x' } },
  ]);
  expect(await gate()).toEqual(open);
});

describe('messages that go to the queue', () => {
  it('is the first open message of each subject, once', async () => {
    const peer = await outbox.addPeer('a.example');
    const first = await outbox.write(peer, 'share-create', 1);
    await outbox.write(peer, 'share-permissions', 1);
    const other = await outbox.write(peer, 'share-create', 2);
    expect(await dispatchedIds()).toEqual([first, other]);
    expect(await dispatchedIds()).toEqual([]);
  });

  it('are limited in number for each partner', async () => {
    const narrow = await outbox.addPeer('narrow.example', { concurrency: 2 });
    const wide = await outbox.addPeer('wide.example');
    for (let share = 1; share <= 5; share++) await outbox.write(narrow, 'share-create', share);
    for (let share = 11; share <= 15; share++) await outbox.write(wide, 'share-create', share);
    expect(await dispatched()).toHaveLength(7);
    expect(await dispatched()).toHaveLength(0);
  });

  it('are found without reading partners without waiting messages', async () => {
    const first = await outbox.addPeer('first.example');
    await outbox.query(
      `INSERT INTO peer (host_key) SELECT 'idle' || n || '.example' FROM generate_series(1, 2000) AS n`,
    );
    const last = await outbox.addPeer('last.example');
    for (const peer of [first, last]) await outbox.write(peer, 'share-create', peer);
    await outbox.query('ANALYZE');
    const read = async (table: string): Promise<number> =>
      (await rowsRead(test.database, table, WALK.text, '0, 500')) +
      (await rowsRead(test.database, table, DUE_PEERS.text, `'{${first},${last}}'`));
    expect(await read('peer')).toBeLessThan(20);
    expect(await read('outbox_message')).toBeLessThan(20);
    expect(await dispatched()).toHaveLength(2);
  });

  it('keeps the rate, and says when the next one may follow', async () => {
    const peer = await outbox.addPeer('slow.example', { perSecond: 0.01, burst: 3 });
    for (let share = 1; share <= 5; share++) await outbox.write(peer, 'share-create', share);
    const { messages, limited } = await dispatch.dispatch(LEASE_MS);
    expect(messages).toHaveLength(3);
    expect(limited).toEqual([{ peerId: peer, inMs: expect.any(Number) }]);
    expect(limited[0]!.inMs).toBeGreaterThan(1000);
    expect(await dispatched()).toHaveLength(0);
  });

  it('comes back if the queue could not take it, and if nobody recorded a result', async () => {
    const peer = await outbox.addPeer('a.example');
    const id = await outbox.write(peer, 'share-create', 1);
    await dispatch.giveBack(await dispatched());
    const [again] = await dispatched();
    expect(again).toMatchObject({ messageId: id, round: 2 });
    expect(await dispatch.reclaim()).toBe(0);
    await outbox.letTimePass();
    expect(await dispatch.reclaim()).toBe(1);
    expect(await dispatchedIds()).toEqual([id]);
  });

  it('is split between relays that probe at once', async () => {
    for (let number = 0; number < 8; number++) {
      const peer = await outbox.addPeer(`p${number}.example`);
      for (let share = 1; share <= 10; share++)
        await outbox.write(peer, 'share-create', number * 100 + share);
    }
    const seen = (await Promise.all(Array.from({ length: 4 }, dispatchedIds))).flat();
    seen.push(...(await dispatchedIds()));
    expect(seen).toHaveLength(80);
    expect(new Set(seen).size).toBe(80);
  });

  it('is nothing of a paused partner, and everything at once after the pause', async () => {
    const peer = await outbox.addPeer('a.example');
    await outbox.write(peer, 'share-create', 1);
    expect(await peers.pause('a.example')).toBe(true);
    expect(await dispatchedIds()).toEqual([]);
    expect(await peers.resume('a.example')).toBe(true);
    expect(await dispatchedIds()).toHaveLength(1);
    expect([await peers.pause('b.example'), await peers.resume('b.example')]).toEqual([false, false]);
  });
});

describe('an attempt', () => {
  it('is made by one of several workers', async () => {
    await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    const wanted = await dispatched();
    const claims = await Promise.all([1, 2, 3].map(() => deliveries.claim(wanted, LEASE_MS)));
    expect(claims.flat()).toHaveLength(1);
    expect(claims.flat()[0]).toMatchObject({
      kind: 'share-create',
      attempts: 0,
      payload: { name: 'plan' },
      round: 1,
    });
  });

  it.each([
    ['an offer to a server that keeps copies', 'share-create', '{}', true],
    ['an offer to an instance of ours', 'share-create', '{"product": "drawbridge"}', false],
    ['an end', 'share-unshare', '{}', false],
  ] as const)(
    'that a killed worker left behind is repeated after a pause: %s',
    async (_what, kind, profile, waits) => {
      const peer = await outbox.addPeer('a.example');
      await outbox.query('UPDATE peer SET profile = $1', [profile]);
      await outbox.write(peer, kind, 1);
      await claimAll();
      await outbox.letTimePass();
      await dispatch.reclaim();
      const [row] = await outbox.query<{ doubted: boolean; seconds: number }>(
        `SELECT maybe_delivered AS doubted, extract(epoch FROM available_at - now())::float AS seconds FROM outbox_message`,
      );
      expect(row!.doubted).toBe(true);
      expect(row!.seconds > 60).toBe(waits);
      await outbox.letPausesPass();
      expect(await claimAll()).toHaveLength(1);
    },
  );

  it('records a success once, and a failure only by the holder of the lease', async () => {
    const id = await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    const [lost] = await claimAll();
    await outbox.letTimePass();
    await dispatch.reclaim();
    await outbox.letPausesPass();
    const [held] = await claimAll();
    expect(held).toMatchObject({ round: 2, maybeDelivered: true });
    expect(await deliveries.settle([{ message: lost!, outcome: refused }])).toBe(0);
    expect(await deliveries.settle([{ message: lost!, outcome: ok }])).toBe(1);
    expect(await deliveries.settle([{ message: held!, outcome: refused }])).toBe(0);
    expect(await stateOf(id)).toBe('delivered');
  });

  it('that is recorded twice in one batch counts once', async () => {
    await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    const [message] = await claimAll();
    const attempt = { message: message!, outcome: ok };
    expect(await deliveries.settle([attempt, attempt])).toBe(1);
    expect(await outbox.query('SELECT * FROM delivery_attempt')).toHaveLength(1);
  });

  it('stores its evidence for operators', async () => {
    const id = await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    const evidence = {
      endpoint: 'https://a.example/ocm/shares',
      dialect: 'ocm-webdav',
      httpStatus: 503,
      durationMs: 12.6,
    };
    await attemptAll({ ...down, errorClass: 'partner-error', evidence });
    expect(await administration.find(id!)).toMatchObject({
      state: 'pending',
      attempts: 1,
      errorClass: 'partner-error',
      error: 'connection refused',
      tries: [{ attempt: 1, outcome: 'retry', endpoint: evidence.endpoint, httpStatus: 503, durationMs: 13 }],
    });
  });

  it('is not made for a message that was replaced after it was queued', async () => {
    const peer = await outbox.addPeer('a.example');
    const id = await outbox.write(peer, 'share-create', 1);
    const wanted = await dispatched();
    expect(await outbox.write(peer, 'share-unshare', 1)).toBeUndefined();
    expect(await deliveries.claim(wanted, LEASE_MS)).toEqual([]);
    expect(await stateOf(id)).toBe('superseded');
  });

  it('drops the messages after a creation that was refused', async () => {
    const peer = await outbox.addPeer('a.example');
    await outbox.write(peer, 'share-create', 1);
    const later = await outbox.write(peer, 'share-permissions', 1);
    await attemptAll(refused);
    expect(await stateOf(later)).toBe('superseded');
  });

  it('writes a message once, even if its revision is repeated', async () => {
    const peerId = await outbox.addPeer('a.example');
    const write = () =>
      test.database.transaction((transaction) =>
        new OutboxRepository(test.database).write(transaction, {
          kind: 'share-permissions',
          subject: { type: 'share', id: 1 },
          peerId,
          revision: 4,
          payload: {},
          sealedSecret: null,
        }),
      );
    const id = await write();
    await attemptAll(ok);
    expect([typeof id, await write()]).toEqual(['number', undefined]);
  });
});

describe('a partner that fails', () => {
  async function failFiveTimes(): Promise<number> {
    const peer = await outbox.addPeer('a.example', { concurrency: 5 });
    for (let share = 1; share <= 8; share++) await outbox.write(peer, 'share-create', share);
    expect(await attemptAll(down)).toBe(5);
    return peer;
  }

  it('gets a pause, and then one attempt', async () => {
    await failFiveTimes();
    expect(await peers.find('a.example')).toMatchObject({ breaker: 'open', waiting: 8, underWay: 0 });
    expect(await dispatchedIds()).toEqual([]);
    await outbox.letTimePass();
    expect(await dispatched()).toHaveLength(1);
    expect(await dispatched()).toHaveLength(0);
  });

  it('gives back queued messages when its breaker opens', async () => {
    const peer = await outbox.addPeer('a.example', { concurrency: 6 });
    for (let share = 1; share <= 6; share++) await outbox.write(peer, 'share-create', share);
    const wanted = await dispatched();
    const claimed = await deliveries.claim(wanted.slice(0, 5), LEASE_MS);
    await deliveries.settle(claimed.map((message) => ({ message, outcome: down })));
    expect(await deliveries.claim(wanted.slice(5), LEASE_MS)).toEqual([]);
    expect([...(await outbox.states()).values()]).toEqual(Array(6).fill('pending'));
  });

  it('gets everything at once when it answers again', async () => {
    await failFiveTimes();
    await outbox.query(
      `UPDATE peer SET parked_until = NULL, gate = jsonb_set(gate, '{breaker,openUntilMs}', '1')`,
    );
    expect(await attemptAll(ok)).toBe(1);
    expect(await peers.find('a.example')).toMatchObject({ breaker: 'closed' });
    expect(await dispatched()).toHaveLength(5);
  });

  it('does not delay messages to other partners', async () => {
    await failFiveTimes();
    const well = await outbox.addPeer('well.example');
    const id = await outbox.write(well, 'share-create', 99);
    expect(await dispatchedIds()).toEqual([id]);
  });
});

describe('messages that are given up', () => {
  const giveUp: DeliveryOutcome = { ...down, repeatsAtMost: 1 };

  it('are those with five wrong answers, not those without a connection', async () => {
    const id = await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    const undiscovered = { kind: 'retry', errorClass: 'undiscovered', message: 'odd' } as const;
    const odd: DeliveryOutcome = {
      ...undiscovered,
      repeatsAtMost: 5,
      evidence: { endpoint: 'https://a.example/ocm/shares' },
    };
    const attempt = async (outcome: DeliveryOutcome): Promise<string | undefined> => {
      await outbox.letTimePass();
      expect(await attemptAll(outcome)).toBe(1);
      return stateOf(id);
    };
    for (const outcome of [down, odd, undiscovered, odd, down, odd, odd, undiscovered])
      expect(await attempt(outcome)).toBe('pending');
    expect(await attempt(odd)).toBe('dead');
    expect(await administration.replay(id!)).toBe(true);
    for (const outcome of [odd, odd, odd, odd]) expect(await attempt(outcome)).toBe('pending');
    expect(await attempt(odd)).toBe('dead');
  });

  it('is replayed one by one, by partner or by class, with its key', async () => {
    const [a, b] = [await outbox.addPeer('a.example'), await outbox.addPeer('b.example')];
    const first = await outbox.write(a, 'share-create', 1);
    const second = await outbox.write(b, 'share-create', 2);
    await attemptAll(giveUp);
    expect([...(await outbox.states()).values()]).toEqual(['dead', 'dead']);
    const { dedupeKey } = (await administration.find(first!))!;
    expect(await administration.replay(first!)).toBe(true);
    expect(await administration.replay(first!)).toBe(false);
    expect(await administration.replayDead({ host: 'a.example' })).toBe(0);
    expect(await administration.replayDead({ errorClass: 'tls' })).toBe(0);
    expect(await administration.replayDead({ errorClass: 'network', host: 'b.example' })).toBe(1);
    expect(await dispatchedIds()).toEqual([first, second]);
    expect((await administration.find(first!))!.dedupeKey).toBe(dedupeKey);
  });

  it('gets the time of its kind with every replay, not more', async () => {
    const id = (await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1))!;
    await outbox.query(
      "UPDATE outbox_message SET created_at = now() - interval '30 days', deadline_at = now() - interval '27 days'",
    );
    for (const _ of [1, 2]) {
      await attemptAll(giveUp);
      expect(await administration.replay(id)).toBe(true);
    }
    const left =
      'SELECT round(extract(epoch FROM deadline_at - now()) / 86400)::int AS days FROM outbox_message';
    expect(await outbox.query(left)).toEqual([{ days: 3 }]);
  });

  it('is not replayed if there is a later message of the same subject', async () => {
    const peer = await outbox.addPeer('a.example');
    const early = await outbox.write(peer, 'share-permissions', 1);
    await attemptAll(giveUp);
    await outbox.write(peer, 'share-permissions', 1);
    expect(await administration.replay(early!)).toBe(false);
  });

  it('is replayed if the later messages of its subject only tell of changed content', async () => {
    const peer = await outbox.addPeer('a.example');
    const early = await outbox.write(peer, 'share-permissions', 1);
    const news = await outbox.write(peer, 'share-content', 1);
    await attemptAll(giveUp);
    await outbox.write(peer, 'share-content', 1);
    expect(await administration.replay(news!)).toBe(false);
    expect(await administration.replay(early!)).toBe(true);
  });

  it('is retried and cancelled only while it waits', async () => {
    const id = await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    await attemptAll(down);
    expect(await dispatchedIds()).toEqual([]);
    expect(await administration.retry(id!)).toBe(true);
    expect(await claimAll()).toHaveLength(1);
    expect([await administration.retry(id!), await administration.cancel(id!)]).toEqual([false, false]);
    await outbox.letTimePass();
    await dispatch.reclaim();
    expect(await administration.cancel(id!)).toBe(true);
    expect(await stateOf(id)).toBe('cancelled');
  });

  it('is listed by state, partner and class', async () => {
    const a = await outbox.addPeer('a.example');
    for (const share of [1, 2, 3]) await outbox.write(a, 'share-create', share);
    await attemptAll(giveUp);
    await outbox.write(a, 'share-create', 4);
    expect(
      await administration.list({ states: ['dead'], host: 'a.example', errorClass: 'network' }, 0, 2),
    ).toHaveLength(2);
    expect(await administration.list({ states: ['pending'] }, 0, 10)).toMatchObject([
      { host: 'a.example', subject: 'share/4' },
    ]);
  });
});

describe('the share that a message is about', () => {
  const OWNER = 'owner-of-shares';
  let shareId: number;
  let peerId: number;

  beforeEach(async () => {
    await outbox.query(
      `INSERT INTO user_account (uid, display_name, password_hash) VALUES ($1, $1, 'x') ON CONFLICT DO NOTHING`,
      [OWNER],
    );
    await outbox.query(`INSERT INTO storage (key, owner_uid) VALUES ('k', $1) ON CONFLICT DO NOTHING`, [
      OWNER,
    ]);
    peerId = await outbox.addPeer('a.example');
    const [root] = await outbox.query<{ id: number }>(
      `INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
       SELECT id, $1, '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage WHERE owner_uid = $1
       ON CONFLICT (storage_id, path_hash) DO UPDATE SET etag = 'e' RETURNING id`,
      [OWNER],
    );
    const [share] = await outbox.query<{ id: number }>(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, peer_id,
         delivery_state, acceptance)
       VALUES (6, $1, $2, $2, 'bob@a.example', 'bob@a.example', 1, $3, 'pending', 'unknown') RETURNING id`,
      [root!.id, OWNER, peerId],
    );
    shareId = share!.id;
    await outbox.write(peerId, 'share-create', shareId);
    await outbox.query('UPDATE share SET revision = (SELECT max(revision) FROM outbox_message)');
  });

  const share = async () => (await outbox.query<Record<string, unknown>>('SELECT * FROM share'))[0]!;

  it('shows that its delivery is being repeated, and then that it arrived', async () => {
    await attemptAll(down);
    expect(await share()).toMatchObject({
      delivery_state: 'retrying',
      delivery_attempts: 1,
      delivery_error: 'connection refused',
      delivery_next_attempt: expect.any(Date),
    });
    await outbox.letTimePass();
    await attemptAll(ok);
    expect(await share()).toMatchObject({
      delivery_state: 'delivered',
      delivery_attempts: 2,
      delivery_error: null,
      delivery_next_attempt: null,
      delivered_at: expect.any(Date),
    });
  });

  it('keeps the text of a refusal and allows a new share', async () => {
    await attemptAll(refused);
    expect(await share()).toMatchObject({
      delivery_state: 'refused',
      delivery_error: 'User does not exist',
      recipient: 'bob@a.example',
      recipient_canonical: null,
    });
  });

  it('shows that a change was not sent and why, until the next message', async () => {
    await attemptAll(ok);
    await outbox.write(await outbox.addPeer('a.example'), 'share-permissions', shareId);
    await outbox.query('UPDATE share SET revision = (SELECT max(revision) FROM outbox_message)');
    await attemptAll({ kind: 'not-sent', message: 'no such message' });
    expect(await share()).toMatchObject({
      delivery_state: 'not-sent',
      delivery_error: 'no such message',
      delivered_at: expect.any(Date),
    });
    const [listed] = await administration.list({ states: ['not-sent'] }, 0, 10);
    expect(listed).toMatchObject({ kind: 'share-permissions', state: 'not-sent' });
  });

  it('is not changed by results of an older revision', async () => {
    const [late] = await claimAll();
    await outbox.query(`UPDATE share SET revision = revision + 1, delivery_state = 'pending'`);
    await deliveries.settle([{ message: late!, outcome: ok }]);
    expect(await share()).toMatchObject({ delivery_state: 'pending', delivered_at: null });
  });
});
