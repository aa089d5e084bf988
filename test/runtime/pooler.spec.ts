import pg from 'pg';
import { Database } from '#persistence';
import { readConfig } from '#platform';
import { createTestDatabase, eventually, startGateway, type TestDatabase } from '#testing';
import { POOLED, startTestPooler, type TestPooler } from '../../libs/testing/src/rigs/pgbouncer';
import { DATABASE_CHECK } from '../../apps/cli/src/doctor/database';
import { Instance } from '../../apps/cli/src/instance';
import { SharingWorld } from '../api/sharing-world';
import { describeWith } from '../clients/programs';
import { AMONG_FAKES } from '../federation/outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const CLIENTS = 24;
const KEY = 'cd'.repeat(32);

describeWith(['pgbouncer'], 'instances behind a pooler in transaction mode', () => {
  let test: TestDatabase;
  let pooler: TestPooler;
  let world: SharingWorld;

  const zone = (name: string): Promise<unknown> =>
    test.database.dataSource.query(
      `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET timezone TO '${name}'`,
    );

  beforeAll(async () => {
    test = await createTestDatabase();
    await zone('UTC');
    pooler = await startTestPooler(test.url);
    world = await SharingWorld.start({
      databaseUrl: test.url,
      compatibility: 'owncloud10',
      env: {
        ...AMONG_FAKES,
        FEDERATION_SYNC_WAIT: '10s',
        DATABASE_POOL: '20',
        DATABASE_POOLER_URL: pooler.url,
        ENCRYPTION_KEY: KEY,
      },
    });
    await world.addUser('alice');
    await world.addUser('bob');
  });
  afterAll(async () => {
    await world?.stop();
    await pooler?.stop();
    await test?.drop();
  });

  it('create, list and change shares and files, many at once, over few connections', async () => {
    const before = await pooler.transactions();
    const numbers = Array.from({ length: CLIENTS }, (_, number) => number);
    await Promise.all(
      numbers.map(async (number) => {
        await world.put('alice', `/file-${number}.txt`);
        const share = await world.share('alice', {
          path: `/file-${number}.txt`,
          shareType: '0',
          shareWith: 'bob',
        });
        await world.must('PUT', `/apps/files_sharing/api/v1/shares/${String(share.id)}`, {
          as: 'alice',
          form: { permissions: '1' },
        });
        expect(await world.read('bob', `/file-${number}.txt`)).toBe('content');
      }),
    );
    const { data } = await world.must('GET', '/apps/files_sharing/api/v1/shares', { as: 'alice' });
    expect((data as { permissions: number }[]).map(({ permissions }) => permissions)).toEqual(
      numbers.map(() => 1),
    );
    // Each of these calls runs several transactions.
    expect((await pooler.transactions()) - before).toBeGreaterThan(4 * CLIENTS);
    const [{ held }] = await test.database.dataSource.query<[{ held: number }]>(
      `SELECT count(*)::int AS held FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'drawbridge app %'`,
    );
    expect(held).toBeLessThanOrEqual(POOLED);
  });

  it('announce after the commit what a transaction told', async () => {
    const listener = new pg.Client({ connectionString: test.url });
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload!));
    const { options } = test.database;
    const database = await Database.connect({ ...options, pooler: { url: pooler.url, prepares: false } });
    await listener.connect();
    try {
      await listener.query('LISTEN drawbridge_changes');
      await database.dataSource.query(`SELECT tell_after_commit('outbox:4711')`);
      await eventually('the news', () => heard.includes('outbox:4711'));
    } finally {
      await database.close();
      await listener.end();
    }
  });

  it('tell each other of changes, and deliver shares to a partner', async () => {
    const partner = await SharingWorld.start({ compatibility: 'owncloud10', env: AMONG_FAKES });
    try {
      await partner.addUser('carol');
      await world.share('alice', {
        path: '/file-0.txt',
        shareType: '6',
        shareWith: `carol@${new URL(partner.gateway.url).host}`,
      });
      const offer = await eventually('the offer', async () => {
        const { data } = await partner.must('GET', `${REMOTE_SHARES}/pending`, { as: 'carol' });
        return (data as { id: number }[])[0];
      });
      await partner.must('POST', `${REMOTE_SHARES}/pending/${offer.id}`, { as: 'carol' });
      expect(await partner.read('carol', '/file-0.txt')).toBe('content');
    } finally {
      await partner.stop();
    }
    // A second process hears of a changed setting by the feed of changes.
    const second = await startGateway({
      databaseUrl: test.url,
      compatibility: 'owncloud10',
      env: { DATABASE_POOLER_URL: pooler.url, ENCRYPTION_KEY: KEY },
    });
    try {
      const linksAreOn = async (): Promise<boolean> => {
        const reply = await fetch(`${second.url}/ocs/v2.php/cloud/capabilities?format=json`, {
          headers: { authorization: second.adminAuth },
        });
        return (await reply.text()).includes('"public":{"enabled":true');
      };
      expect(await linksAreOn()).toBe(true);
      await world.set('core', 'shareapi_allow_links', 'no');
      await eventually('the setting at the other process', async () => !(await linksAreOn()));
    } finally {
      await second.stop();
    }
  });

  it('are examined by doctor', async () => {
    const pooled = async (env: Record<string, string>) => {
      const instance = new Instance(
        readConfig({ DATABASE_URL: test.url, DATABASE_POOLER_URL: pooler.url, ENCRYPTION_KEY: KEY, ...env }),
        true,
      );
      try {
        const findings = await DATABASE_CHECK.look(instance);
        return findings.find(({ subject }) => subject === 'pooler');
      } finally {
        await instance.close();
      }
    };
    expect(await pooled({})).toMatchObject({ state: 'ok', seen: new URL(pooler.url).host });
    expect(await pooled({ DATABASE_POOLER_PREPARES: 'true' })).toMatchObject({
      state: 'failed',
      seen: expect.stringContaining('does not keep prepared statements') as string,
    });
  });

  it('answer 503 while the pooler is away, and serve again after it', async () => {
    await pooler.kill();
    const list = () => world.ocs('GET', '/apps/files_sharing/api/v1/shares', { as: 'bob' });
    await eventually('a refusal', async () => (await list()).http === 503);
    await pooler.start();
    await eventually('an answer', async () => (await list()).http === 200);
  });

  it('refuse to start behind a pooler with sessions in another time zone, or without prepared statements', async () => {
    const start = (env: Record<string, string>) =>
      startGateway({
        databaseUrl: test.url,
        env: { DATABASE_POOLER_URL: pooler.url, ENCRYPTION_KEY: KEY, ...env },
      });
    await expect(start({ DATABASE_POOLER_PREPARES: 'true' })).rejects.toThrow(
      'The pooler does not keep prepared statements',
    );
    await zone('Asia/Tokyo');
    await pooler.kill();
    await pooler.start();
    await expect(start({})).rejects.toThrow("in Asia/Tokyo: run ALTER ROLE ... SET timezone TO 'UTC'");
    await zone('UTC');
    await pooler.kill();
    await expect(start({})).rejects.toThrow(/DATABASE_POOLER_URL \(127\.0\.0\.1:\d+\) cannot be used/);
    await pooler.start();
  });
});
