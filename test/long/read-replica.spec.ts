import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Metrics, readConfig } from '#platform';
import { createTestDatabase, eventually, spawnGateway, type SpawnedGateway } from '#testing';
import { DATABASE_CHECK } from '../../apps/cli/src/doctor/database';
import { Instance } from '../../apps/cli/src/instance';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient } from '../edge/edge-client';
import { installedPostgres, PostgresPair } from './postgres-pair';
import { seededRandom, type Random } from './seeded-random';
import { isFullForm } from '../../libs/testing/src/full-form';

const SEED = Number(process.env.SEED ?? 20);
const TIMEOUT_MS = 600_000;
const SHARES = '/apps/files_sharing/api/v1/shares';
const SHAREES = '/apps/files_sharing/api/v1/sharees';
const OWNERS = ['ada', 'ben', 'cleo', 'dirk'];
const FILES = 6;
/** Lists that may wait for a lock at the same time, so that connections of the pool are left. */
const MOST_LISTS = 4;
const STEPS = isFullForm ? 300 : 40;

const postgres = installedPostgres();

(postgres ? describe : describe.skip)(
  `reads at a standby${postgres ? '' : ' (not installed: postgresql)'}`,
  () => {
    let pair: PostgresPair;
    let directory: string;
    let environment: Record<string, string>;
    let world: SharingWorld;
    let other: SpawnedGateway;
    /** Both processes. */
    let clients: readonly [EdgeClient, EdgeClient];

    beforeAll(async () => {
      pair = await PostgresPair.start(postgres!, 'reads');
      directory = mkdtempSync(join(tmpdir(), 'drawbridge-reads-'));
      environment = {
        DATABASE_URL: pair.url,
        DATABASE_REPLICA_URL: pair.standbyUrl,
        ENCRYPTION_KEY: 'ab'.repeat(32),
        BLOB_STORE: `file:${join(directory, 'blobs')}`,
      };
      world = await SharingWorld.start({ databaseUrl: pair.url, env: environment });
      for (const uid of [...OWNERS, 'bob']) await world.addUser(uid);
      for (const uid of OWNERS)
        for (let file = 0; file < FILES; file++) await world.put(uid, `/${uid}-${file}.txt`);
      other = await spawnGateway({ env: { ...environment, DATA_DIR: join(directory, 'other') } });
      clients = [world.client, new EdgeClient(other)];
    }, TIMEOUT_MS);
    afterAll(async () => {
      await other?.stop();
      await world?.stop();
      await pair?.stop();
      if (directory) rmSync(directory, { recursive: true, force: true });
    }, TIMEOUT_MS);

    async function ask(client: EdgeClient, method: string, path: string, as: string, more = {}) {
      const reply = await client.ocs(method, path, { as, ...more });
      if (reply.http !== 200 || reply.code !== 100)
        throw new Error(`${method} ${path}: HTTP ${reply.http}, ${reply.code} ${reply.message}`);
      return reply.data;
    }
    const idsOf = (data: unknown): string[] => (data as { id: unknown }[]).map(({ id }) => String(id)).sort();
    const own = async (client: EdgeClient, uid: string) => idsOf(await ask(client, 'GET', SHARES, uid));
    const received = async (client: EdgeClient) =>
      idsOf(await ask(client, 'GET', SHARES, 'bob', { query: 'shared_with_me=true' }));
    async function share(client: EdgeClient, uid: string, path: string): Promise<string> {
      const form = { path, shareType: '0', shareWith: 'bob' };
      return String(((await ask(client, 'POST', SHARES, uid, { form })) as { id: unknown }).id);
    }
    const unshare = (client: EdgeClient, uid: string, id: string) =>
      ask(client, 'DELETE', `${SHARES}/${id}`, uid);

    /** Number of times that the standby executed a statement. */
    const executions = (name: string): number => pair.standbyLog().split(`execute ${name}:`).length - 1;
    const untilRead = (name: string, read: () => Promise<unknown>) => {
      const before = executions(name);
      return eventually(`${name} at the standby`, async () => {
        await read();
        return executions(name) > before;
      });
    };
    const setReplay = (to: 'pause' | 'resume') => pair.query('standby', `SELECT pg_wal_replay_${to}()`);

    it(
      'lists shares and searches recipients there, in each process, and counts it',
      async () => {
        const id = await share(clients[0], 'ada', '/ada-0.txt');
        for (const client of clients) {
          await untilRead('share.list_initiated', async () => expect(await own(client, 'ada')).toEqual([id]));
          await untilRead('share.list_own_of_node', () =>
            ask(client, 'GET', SHARES, 'ada', { query: 'path=/ada-0.txt' }),
          );
          await untilRead('share.list_received', async () => expect(await received(client)).toEqual([id]));
          await untilRead('sharee.search_indexed_without_cards', () =>
            ask(client, 'GET', SHAREES, 'ada', { query: 'search=bob&itemType=file' }),
          );
        }
        await unshare(clients[0], 'ada', id);
        const metrics = await world.gateway.instance.app.nest.get(Metrics, { strict: false }).render();
        expect(metrics).toMatch(/^drawbridge_replica_reads_total\{server="replica"\} [1-9]/m);
      },
      TIMEOUT_MS,
    );

    it(
      'shows a share that one process made in the next list of each process while the standby lacks it',
      async () => {
        await setReplay('pause');
        const id = await share(clients[0], 'ada', '/ada-0.txt');
        for (const client of clients) {
          expect(await own(client, 'ada')).toEqual([id]);
          expect(await received(client)).toEqual([id]);
        }
        expect(await pair.query('standby', `SELECT id FROM share WHERE id = ${id}`)).toEqual([]);
        await unshare(clients[1], 'ada', id);
        for (const client of clients) expect(await own(client, 'ada')).toEqual([]);
        await setReplay('resume');
        for (const client of clients)
          await untilRead('share.list_initiated', async () => expect(await own(client, 'ada')).toEqual([]));
      },
      TIMEOUT_MS,
    );

    it(
      'shows every write in the next list, whichever processes take them, while replay stops and goes on',
      async () => {
        const before = executions('share.list_initiated') + executions('share.list_received');
        let isOver = false;
        const stopAndGo = async (random: Random): Promise<void> => {
          while (!isOver) {
            await setReplay('pause');
            await pause(random() * 200);
            await setReplay('resume');
            await pause(random() * 400);
          }
        };
        /** One owner, who shares and ends shares, and looks after each of them. */
        const owner = async (uid: string, random: Random): Promise<void> => {
          const any = () => clients[random() < 0.5 ? 0 : 1];
          const ids = new Map<string, string>();
          for (let step = 0; step < STEPS; step++) {
            const path = `/${uid}-${Math.floor(random() * FILES)}.txt`;
            const present = ids.get(path);
            if (present === undefined) ids.set(path, await share(any(), uid, path));
            else {
              await unshare(any(), uid, present);
              ids.delete(path);
            }
            expect(await own(any(), uid)).toEqual([...ids.values()].sort());
            const seen = await received(any());
            expect([...ids.values()].filter((id) => !seen.includes(id))).toEqual([]);
            if (present !== undefined) expect(seen).not.toContain(present);
          }
          for (const id of ids.values()) await unshare(any(), uid, id);
        };
        const stopping = stopAndGo(seededRandom(SEED));
        try {
          await Promise.all(OWNERS.map((uid, number) => owner(uid, seededRandom(SEED + 1 + number))));
        } finally {
          isOver = true;
          await stopping;
        }
        const after = executions('share.list_initiated') + executions('share.list_received');
        process.stdout.write(`${after - before} of ${2 * STEPS * OWNERS.length} lists at the standby\n`);
        expect(after).toBeGreaterThan(before);
      },
      TIMEOUT_MS,
    );

    it(
      'answers from the primary when the standby ends the statement',
      async () => {
        const id = await share(clients[0], 'ada', '/ada-0.txt');
        await untilRead('share.list_initiated', () => own(clients[0], 'ada'));
        const client = new pg.Client({ connectionString: pair.url });
        await client.connect();
        try {
          // The lock is replayed, so it also holds up reads at the standby.
          await client.query('BEGIN');
          await client.query('LOCK TABLE share IN ACCESS EXCLUSIVE MODE');
          const isHeld = `SELECT 1 FROM pg_locks WHERE relation = 'share'::regclass AND mode = 'AccessExclusiveLock'`;
          await eventually('the lock at the standby', async () => {
            return (await pair.query('standby', isHeld)).length > 0;
          });
          const ended = (): number => pair.standbyLog().split('canceling statement').length;
          const before = ended();
          // A list that is requested while the standby is behind is read from the primary, where it waits for the lock.
          const lists: Promise<unknown>[] = [];
          await eventually('a statement that the standby ends', async () => {
            if (lists.length < MOST_LISTS) lists.push(own(clients[0], 'ada'));
            await pause(1_000);
            return ended() > before;
          });
          await client.query('ROLLBACK');
          expect(await Promise.all(lists)).toEqual(lists.map(() => [id]));
        } finally {
          await client.end();
        }
        await unshare(clients[0], 'ada', id);
      },
      TIMEOUT_MS,
    );

    it(
      'refuses no request while the standby is killed, and uses it again when it is back',
      async () => {
        const id = await share(clients[0], 'ada', '/ada-0.txt');
        for (const client of clients) await untilRead('share.list_initiated', () => own(client, 'ada'));
        let isOver = false;
        let answered = 0;
        const reading = Promise.all(
          [...clients, ...clients].map(async (client) => {
            for (; !isOver; answered++) expect(await own(client, 'ada')).toEqual([id]);
          }),
        );
        await pair.killStandby();
        const atKill = answered;
        await eventually('lists without the standby', () => answered > atKill + 50);
        isOver = true;
        await reading;
        const second = await share(clients[1], 'ada', '/ada-1.txt');
        for (const client of clients) expect(await own(client, 'ada')).toEqual([id, second].sort());
        await pair.startStandby();
        for (const client of clients)
          await untilRead('share.list_initiated', async () =>
            expect(await own(client, 'ada')).toEqual([id, second].sort()),
          );
        for (const each of [id, second]) await unshare(clients[0], 'ada', each);
      },
      TIMEOUT_MS,
    );

    it(
      'leaves the standby after a failover until it has a restart point in the new timeline',
      async () => {
        for (const client of clients) await untilRead('share.list_initiated', () => own(client, 'ada'));
        await pair.beginTimeline();
        for (const client of clients)
          await eventually(
            'the primary',
            async () => (await client.ocs('GET', SHARES, { as: 'ada' })).http === 200,
          );
        const id = await share(clients[0], 'ada', '/ada-0.txt');
        await eventually('the share at the standby', async () => {
          return (await pair.query('standby', `SELECT id FROM share WHERE id = ${id}`)).length > 0;
        });
        const before = executions('share.list_initiated');
        for (const client of clients) expect(await own(client, 'ada')).toEqual([id]);
        expect(executions('share.list_initiated')).toBe(before);
        for (const server of ['primary', 'standby'] as const) {
          await pair.query(server, 'CHECKPOINT');
          const [{ at }] = (await pair.query('primary', 'SELECT pg_current_wal_flush_lsn() AS at')) as [
            { at: string },
          ];
          await eventually('its replay', async () => {
            const [row] = await pair.query(
              'standby',
              `SELECT pg_last_wal_replay_lsn() >= '${at}' AS is_there`,
            );
            return row!.is_there;
          });
        }
        for (const client of clients)
          await untilRead('share.list_initiated', async () => expect(await own(client, 'ada')).toEqual([id]));
        await unshare(clients[0], 'ada', id);
      },
      TIMEOUT_MS,
    );

    it(
      'examines it by doctor',
      async () => {
        const finding = async (replica: string) => {
          const config = readConfig({ ...environment, DATABASE_REPLICA_URL: replica });
          const instance = new Instance(config, true);
          try {
            return (await DATABASE_CHECK.look(instance)).find(({ subject }) => subject === 'replica');
          } finally {
            await instance.close();
          }
        };
        expect(await finding(pair.standbyUrl)).toMatchObject({ state: 'ok' });
        expect(await finding(pair.url)).toMatchObject({
          state: 'failed',
          seen: expect.stringContaining('it accepts writes') as string,
        });
        const stranger = await createTestDatabase();
        expect(await finding(stranger.url)).toMatchObject({
          state: 'failed',
          seen: expect.stringContaining('no copy of the database') as string,
        });
        await stranger.drop();
        await setReplay('pause');
        await world.addUser('late');
        expect(await finding(pair.standbyUrl)).toMatchObject({ state: 'warning' });
        await setReplay('resume');
        await pair.killStandby();
        expect(await finding(pair.standbyUrl)).toMatchObject({
          state: 'warning',
          seen: expect.stringContaining('ECONNREFUSED') as string,
        });
      },
      TIMEOUT_MS,
    );
  },
);
