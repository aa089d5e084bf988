import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  basicAuth,
  createTestDatabase,
  eventually,
  spawnApp,
  type StartedProcess,
  type TestDatabase,
} from '#testing';

// Long enough to start processes on a busy machine.
const WAITS = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND starts_with(application_name, 'drawbridge app ') AND wait_event_type = 'Lock'`;

describe('an app that gets SIGTERM', () => {
  let test: TestDatabase;
  let holder: pg.Client;
  let started: StartedProcess;

  beforeEach(async () => {
    test = await createTestDatabase();
    holder = new pg.Client({ connectionString: test.url });
    await holder.connect();
  });
  afterEach(async () => {
    started.child.kill('SIGKILL');
    await holder.end();
    await test.drop();
  });

  const start = (env: Record<string, string> = {}, app = 'share-api'): void => {
    started = spawnApp({
      app,
      env: {
        PORT: '0',
        PUBLIC_URL: 'https://cloud.example.org',
        DATABASE_URL: test.url,
        ENCRYPTION_KEY: randomBytes(32).toString('hex'),
        ...env,
      },
    });
  };
  const url = async (): Promise<string> => {
    const port = await eventually(
      'the start',
      () => /"port":(\d+),"msg":"listening"/.exec(started.output())?.[1],
      180_000,
    );
    return `http://127.0.0.1:${port}`;
  };
  const lock = (table: string): Promise<unknown> =>
    holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const untilItWaits = (): Promise<unknown> =>
    eventually(
      'a statement that waits',
      async () => (await test.database.dataSource.query(WAITS)).length > 0,
    );

  it('while it starts, starts and stops', async () => {
    await lock('schema_migration');
    start();
    await untilItWaits();
    started.child.kill('SIGTERM');
    await holder.query('COMMIT');
    expect(await started.exit).toEqual({ code: 0, signal: null });
  });

  it('stops although a statement hangs', async () => {
    start({ SHUTDOWN_GRACE: '100ms' });
    const address = await url();
    await lock('user_account');
    const headers = { authorization: basicAuth('nobody', 'nothing') };
    const cut = fetch(`${address}/ocs/v1.php/cloud/user`, { headers }).then(
      () => false,
      () => true,
    );
    await untilItWaits();
    started.child.kill('SIGTERM');
    expect(await started.exit).toEqual({ code: 0, signal: null });
    expect(await cut).toBe(true);
    expect(started.output()).toContain('the process stops although something is still in use');
    expect(started.output()).not.toContain('"level":50');
  });

  it('stops although its queue never opened', async () => {
    start({ REDIS_URL: 'redis://127.0.0.1:1' }, 'federation-worker');
    await url();
    started.child.kill('SIGTERM');
    expect(await started.exit).toEqual({ code: 0, signal: null });
    expect(started.output()).not.toContain('left behind');
    expect(started.output()).not.toContain('"level":50');
  });

  it('ends at once with exit code 1 after a second signal', async () => {
    start({ SHUTDOWN_DELAY: '10m' });
    const address = await url();
    started.child.kill('SIGTERM');
    await eventually('the drain', async () => (await fetch(`${address}/health/ready`)).status === 503);
    // A signal that follows immediately counts as the first one, so the signal is repeated until the end.
    const insisting = setInterval(() => started.child.kill('SIGINT'), 200);
    expect(await started.exit).toEqual({ code: 1, signal: null });
    clearInterval(insisting);
  });
});
