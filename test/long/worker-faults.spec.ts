import { SecretBox } from '#platform';
import {
  createTestDatabase,
  eventually,
  spawnApp,
  startMisbehaving,
  startOwnCloud,
  type FakePartner,
  type FakeServer,
  type StartedProcess,
  type TestDatabase,
} from '#testing';
import { FederationOutbox, type PeerLimits } from '../../libs/testing/src/rigs/federation-outbox';
import { startTestRedis, type TestRedis } from '../../libs/testing/src/rigs/redis-server';

const KEY = 'ab'.repeat(32);
const SECRET = 'SharedSecretOfTheFaults';
const SHARES = 60;
const QUEUE_PREFIX = 'jobs-of-the-faults';
const START_LIMIT_MS = 60_000;
/** Together they take a second or two, so that each kill happens in the middle. */
const SLOWLY: PeerLimits = { concurrency: 4, perSecond: 6, burst: 8 };

let test: TestDatabase;
let outbox: FederationOutbox;
let partner: FakePartner;
let workers: StartedProcess[];

beforeEach(async () => {
  partner = await startOwnCloud();
});
afterEach(async () => {
  await outbox.clear();
  await partner.close();
});

function startWorker(backend: Readonly<Record<string, string>>): StartedProcess {
  const worker = spawnApp({
    app: 'federation-worker',
    env: {
      PORT: '0',
      DATABASE_URL: test.url,
      ENCRYPTION_KEY: KEY,
      PUBLIC_URL: 'http://127.0.0.1:1',
      FEDERATION_ALLOW_HTTP: 'true',
      FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
      SHUTDOWN_GRACE: '2s',
      LOG_LEVEL: 'info',
      QUEUE_PREFIX,
      ...backend,
    },
  });
  workers.push(worker);
  return worker;
}

async function kill(worker: StartedProcess): Promise<void> {
  worker.child.kill('SIGKILL');
  await worker.exit;
}

/** One offer for each of the shares. */
const writeMessages = (limits: PeerLimits = { concurrency: 4 }): Promise<void> =>
  writeOffers(SHARES, partner.port, limits);

async function writeOffers(count: number, port: number, limits: PeerLimits): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const peer = await outbox.addPeer(host, limits);
  const sealed = new SecretBox(() => Buffer.from(KEY, 'hex')).seal(SECRET);
  const party = { uid: 'alice', displayName: 'Alice' };
  const offer = {
    shareWith: `bea@${host}`,
    nodeKind: 'file',
    permissions: 1,
    expiresOn: null,
    owner: party,
    sender: party,
  };
  for (let share = 1; share <= count; share++) {
    await outbox.write(peer, 'share-create', share, {
      payload: { ...offer, name: `plan ${share}` },
      sealedSecret: sealed,
    });
  }
}

const deliveredCount = async (): Promise<number> =>
  [...(await outbox.states()).values()].filter((state) => state === 'delivered').length;

/** Each offer arrived, and the record contains none of them twice. */
async function expectAllDelivered(): Promise<void> {
  const arrived = async (): Promise<boolean> => {
    // Offers that a killed worker was sending are held back for a while.
    await outbox.letPausesPass();
    return (await deliveredCount()) === SHARES;
  };
  await eventually('all deliveries', arrived, 180_000);
  expect(new Set(partner.taken.map((share) => share.providerId)).size).toBe(SHARES);
  const recorded = await outbox.query(`SELECT message_id FROM delivery_attempt WHERE outcome = 'delivered'`);
  expect(recorded).toHaveLength(SHARES);
}

describe('a worker that is killed while a partner has an offer and has not answered', () => {
  let silent: FakeServer;
  beforeAll(async () => {
    [test, silent] = await Promise.all([createTestDatabase(), startMisbehaving('hang')]);
    outbox = new FederationOutbox(test.database);
    workers = [];
  });
  afterAll(async () => {
    for (const worker of workers) worker.child.kill('SIGKILL');
    await Promise.all(workers.map((worker) => worker.exit));
    await Promise.all([test.drop(), silent.close()]);
  });

  it('repeats the offer after the pause, not at once', async () => {
    await writeOffers(1, silent.port, { concurrency: 4 });
    const offers = (): number => silent.seen('POST').length;
    const first = startWorker({});
    await eventually('the offer', () => offers() === 1, START_LIMIT_MS);
    await kill(first);
    await outbox.letTimePass();
    const second = startWorker({});
    const held = async (): Promise<boolean> => {
      const [row] = await outbox.query<{ state: string; doubted: boolean; waits: boolean }>(
        `SELECT state, maybe_delivered AS doubted, available_at > now() + interval '1 minute' AS waits FROM outbox_message`,
      );
      return row!.state === 'pending' && row!.doubted && row!.waits;
    };
    await eventually('the offer to be taken back, and held', held, START_LIMIT_MS);
    expect(offers()).toBe(1);
    await outbox.letPausesPass();
    await eventually('its repetition', () => offers() === 2, START_LIMIT_MS);
    await kill(second);
  }, 200_000);
});

describe.each(['Redis', 'Postgres'])('a worker with its jobs in %s', (kind) => {
  let redis: TestRedis | undefined;
  let backend: Readonly<Record<string, string>>;
  beforeAll(async () => {
    [test, redis] = await Promise.all([
      createTestDatabase(),
      kind === 'Redis' ? startTestRedis() : undefined,
    ]);
    backend = redis ? { REDIS_URL: redis.url } : {};
    outbox = new FederationOutbox(test.database);
    workers = [];
  });
  afterAll(async () => {
    for (const worker of workers) worker.child.kill('SIGTERM');
    await Promise.all(workers.map((worker) => worker.exit));
    await Promise.all([test.drop(), redis?.stop()]);
  });

  it('is killed during its work: another one delivers the rest', async () => {
    await writeMessages();
    const first = startWorker(backend);
    await eventually('some deliveries', async () => (await deliveredCount()) >= 10);
    await kill(first);
    expect(await deliveredCount()).toBeLessThan(SHARES);
    startWorker(backend);
    // A message of the killed worker is free when its lease has ended.
    await outbox.letTimePass();
    await expectAllDelivered();
  }, 300_000);

  it('delivers beside a second one, each message once', async () => {
    const second = startWorker(backend);
    await eventually('its start', () => second.output().includes('"msg":"listening"'), START_LIMIT_MS);
    await writeMessages();
    await expectAllDelivered();
    expect(partner.taken).toHaveLength(SHARES);
  }, 300_000);

  if (kind === 'Redis')
    it('continues when Redis is killed and comes back empty: nothing is lost, and no secret was in it', async () => {
      await writeMessages(SLOWLY);
      await eventually('some deliveries', async () => (await deliveredCount()) >= 5);
      const found = await redis!.dump();
      expect(found).toContain(QUEUE_PREFIX);
      expect(found).not.toContain(SECRET);
      await redis!.killAndRestart();
      expect(await deliveredCount()).toBeLessThan(SHARES);
      await outbox.letTimePass();
      await expectAllDelivered();
      expect(await redis!.dump()).not.toContain(SECRET);
      await redis!.plant(SECRET);
      expect(await redis!.dump()).toContain(SECRET);
    }, 300_000);
});
