import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '#persistence';
import { readConfig } from '#platform';
import {
  createTestDatabase,
  eventually,
  REPOSITORY,
  spawnApp,
  startOwnCloud,
  type FakePartner,
  type StartedProcess,
  type TestDatabase,
} from '#testing';
import { QUEUE_CHECK } from '../../apps/cli/src/doctor/queue';
import type { ReportedFinding } from '../../apps/cli/src/doctor/finding';
import { Instance } from '../../apps/cli/src/instance';
import { TestSentinels } from '../../libs/testing/src/rigs/redis-sentinels';
import { SharingWorld } from '../api/sharing-world';
import { describeWith } from '../clients/programs';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { isFullForm } from '../../libs/testing/src/full-form';

const KEY = 'ab'.repeat(32);
const WRITERS = 4;
/** Offers that have to arrive before and after each change of the master. */
const OFFERS = isFullForm ? 200 : 20;
const TIMEOUT_MS = 600_000;
jest.setTimeout(TIMEOUT_MS);

const workerOf = (databaseUrl: string, env: Readonly<Record<string, string>>): StartedProcess =>
  spawnApp({
    app: 'federation-worker',
    env: {
      PORT: '0',
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEY: KEY,
      LOG_LEVEL: 'info',
      ...AMONG_FAKES,
      ...env,
    },
  });

const isListening = (worker: StartedProcess): boolean => worker.output().includes('"msg":"listening"');

const told = ({ state, subject, seen }: Pick<ReportedFinding, 'state' | 'subject' | 'seen'>): string =>
  `${state} ${subject}: ${seen}`;

describeWith(['redis-server'], 'Redis servers that sentinels watch', () => {
  let group: TestSentinels;
  let partner: FakePartner;
  let world: SharingWorld;
  let worker: StartedProcess;
  let database: Database;
  let names = 0;

  beforeAll(async () => {
    group = await TestSentinels.start();
    partner = await startOwnCloud();
    world = await SharingWorld.start({
      compatibility: 'owncloud10',
      env: { ...AMONG_FAKES, ...group.env, ENCRYPTION_KEY: KEY, FEDERATION_SYNC_WAIT: '1s' },
    });
    await world.addUser('alice');
    const { databaseUrl: url } = world.gateway;
    database = await Database.connect({ url, poolSize: 2, applicationName: 'the spec' });
    worker = workerOf(url, { PUBLIC_URL: world.gateway.url, ...group.env });
    await eventually('the start of a worker', () => isListening(worker), 180_000);
  }, TIMEOUT_MS);
  afterAll(async () => {
    worker?.child.kill('SIGTERM');
    await worker?.exit;
    await database?.close();
    await world?.stop();
    await partner?.close();
    await group?.stop();
  }, TIMEOUT_MS);

  /** Shares files with the partner, one after the other, until `during` ends. A refused call fails. */
  async function shareWhile(during: (ids: ReadonlySet<string>) => Promise<unknown>): Promise<Set<string>> {
    const ids = new Set<string>();
    let isOver = false;
    const writer = async (): Promise<void> => {
      while (!isOver) {
        const path = `/file-${++names}.txt`;
        await world.put('alice', path);
        const shareWith = `bea@${new URL(partner.url).host}`;
        ids.add(String((await world.share('alice', { path, shareType: '6', shareWith })).id));
      }
    };
    const load = Promise.all(Array.from({ length: WRITERS }, writer));
    await during(ids).finally(() => (isOver = true));
    await load;
    return ids;
  }

  const more = (count: number): Promise<unknown> => {
    const goal = partner.taken.length + count;
    return eventually(`${count} more offers`, () => partner.taken.length >= goal, 180_000);
  };

  /** Each offer arrived once, and no message waits that could repeat it. */
  async function expectEachOnce(ids: ReadonlySet<string>): Promise<void> {
    await eventually(
      'the end of all deliveries',
      async () => {
        const [row] = await database.dataSource.query<[{ open: number }]>(
          `SELECT count(*)::int AS open FROM outbox_message WHERE state <> 'delivered'`,
        );
        return row.open === 0;
      },
      240_000,
    );
    const arrived = partner.taken.map(({ providerId }) => providerId).filter((id) => ids.has(id));
    expect(arrived.sort()).toEqual([...ids].sort());
  }

  it.each([
    ['is killed', () => group.killMaster(), (port: number) => group.restart(port)],
    ['hangs with open connections', () => group.freezeMaster(), (port: number) => group.thaw(port)],
    ['becomes a replica by itself', () => group.handOver(), () => group.settle()],
    ['is exchanged for maintenance', () => group.switchOver(), () => group.settle()],
  ] as const)(
    'lose no offer when the master %s, and creations go on meanwhile',
    async (_what, change, repair) => {
      const ids = await shareWhile(async (created) => {
        await more(OFFERS);
        const known = created.size;
        const from = performance.now();
        const port = await change();
        const replacedMs = performance.now() - from;
        expect(await group.master()).not.toBe(port);
        expect(created.size).toBeGreaterThan(known);
        const meanwhile = created.size - known;
        await more(OFFERS);
        process.stdout.write(
          `another master after ${Math.round(replacedMs)} ms, deliveries after ${Math.round(performance.now() - from)} ms; ${meanwhile} shares meanwhile\n`,
        );
        // The former master comes back as a replica.
        await repair(port);
        await more(OFFERS);
      });
      await expectEachOnce(ids);
      // Both processes work on the new master, without a restart.
      await eventually('all workers', async () =>
        (await findings()).includes('ok workers: 2 wait for deliveries'),
      );
      expect(worker.child.exitCode).toBeNull();
      expect(worker.output()).toContain('the queue can be reached again');
      for (const secret of group.secrets) expect(worker.output()).not.toContain(secret);
    },
  );

  async function findings(env: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const where = { DATABASE_URL: world.gateway.databaseUrl, ENCRYPTION_KEY: KEY };
    const instance = new Instance(readConfig({ ...where, ...group.env, ...env }), true);
    try {
      return (await QUEUE_CHECK.look(instance)).map(told);
    } finally {
      await instance.close();
    }
  }

  it('are examined by doctor', async () => {
    expect(await findings()).toEqual([
      'ok sentinels: 3 answer',
      `ok master: spec-master is 127.0.0.1:${await group.master()}`,
      expect.stringMatching(/^ok Redis: \d/),
      'ok eviction: noeviction',
      'ok append-only file: on',
      'ok workers: 2 wait for deliveries',
      'ok replicas: 1 of the master',
    ]);
    await group.configure('maxmemory-policy', 'allkeys-lru');
    await group.configure('appendonly', 'no');
    expect(await findings()).toEqual(
      expect.arrayContaining(['failed eviction: allkeys-lru', 'warning append-only file: off']),
    );
    await group.configure('maxmemory-policy', 'noeviction');
    await group.configure('appendonly', 'yes');
    expect(await findings({ REDIS_SENTINEL_MASTER: 'another' })).toEqual([
      'ok sentinels: 3 answer',
      'failed master: no sentinel knows another',
      expect.stringMatching(/^failed Redis: cannot be asked/),
    ]);
    const refused = await findings({ REDIS_SENTINEL_PASSWORD: 'wrong-one' });
    expect(refused[0]).toMatch(/^failed sentinels: none answers: .*WRONGPASS/);
    expect(refused.join()).not.toContain('wrong-one');
    const { address, port } = await group.killSentinel();
    expect(await findings()).toContain(`warning sentinels: no answer from ${address} (ECONNREFUSED)`);
    await group.restart(port);
  });

  it('are waited for by a worker, which stops although none answers, and shows no password', async () => {
    for (const env of [
      { ...group.env, REDIS_SENTINELS: '127.0.0.1:1' },
      { ...group.env, REDIS_URL: 'redis://:wrong-one@not-used.invalid' },
    ]) {
      const lost = workerOf(world.gateway.databaseUrl, { PUBLIC_URL: world.gateway.url, ...env });
      await eventually('its start', () => isListening(lost), 180_000);
      await eventually('a warning', () => lost.output().includes('the queue cannot be reached'));
      lost.child.kill('SIGTERM');
      expect(await lost.exit).toEqual({ code: 0, signal: null });
      for (const absent of [...group.secrets, 'wrong-one', 'left behind', '"level":50'])
        expect(lost.output()).not.toContain(absent);
    }
  });
});

describeWith(['redis-server'], 'Redis servers and sentinels that require TLS', () => {
  let group: TestSentinels;
  let test: TestDatabase;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-doctor-'));
    group = await TestSentinels.start(true);
    test = await createTestDatabase();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await test?.drop();
    await group?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function findings(trust: Readonly<Record<string, string>>): Promise<string[]> {
    const env = { DATABASE_URL: test.url, DATA_DIR: directory, ENCRYPTION_KEY: KEY, ...group.env, ...trust };
    const doctor = spawnApp({ command: ['bin/drawbridge', 'doctor', '--json'], env });
    let output = '';
    doctor.child.stdout!.on('data', (chunk) => (output += String(chunk)));
    await doctor.exit;
    const report = JSON.parse(output) as { findings: ReportedFinding[] };
    return report.findings.filter(({ check }) => check === 'queue').map(told);
  }

  it('are reached if their authority is trusted', async () => {
    const authority = join(REPOSITORY, 'libs/testing/src/partners/tls/authority.pem');
    const found = await findings({ NODE_EXTRA_CA_CERTS: authority });
    expect(found).toEqual(
      expect.arrayContaining([
        'ok sentinels: 3 answer',
        `ok master: spec-master is 127.0.0.1:${await group.master()}`,
        'ok eviction: noeviction',
        'ok replicas: 1 of the master',
      ]),
    );
    expect((await findings({}))[0]).toMatch(/^failed sentinels: none answers/);
  });
});
