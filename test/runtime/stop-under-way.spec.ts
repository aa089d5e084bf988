import pg from 'pg';
import { createLogger } from '#platform';
import { WorkerLifecycle } from '../../apps/federation-worker/src/worker-lifecycle';
import {
  ADMIN,
  basicAuth,
  createTestDatabase,
  eventually,
  startGateway,
  type TestDatabase,
  type TestGateway,
} from '#testing';

// Long enough to start and stop a whole gateway in each case.
const WARNING = 40;
const ERROR = 50;
const SECRET = 'SecretOfNoShare';
const NOTICE = {
  notificationType: 'SHARE_ACCEPTED',
  resourceType: 'file',
  providerId: '7',
  notification: { sharedSecret: SECRET },
};
const ACCEPT = { path: '/ocs/v2.php/cloud/shares/7/accept', body: `token=${SECRET}` };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One call of each interface: it uses the database again after the statement that waits. */
const CALLS: readonly Call[] = [
  { path: '/ocs/v2.php/cloud/user', headers: { authorization: basicAuth(ADMIN.uid, ADMIN.password) } },
  {
    path: '/public.php/webdav',
    method: 'PROPFIND',
    headers: { authorization: basicAuth('NoLinksToken', '') },
  },
  { path: '/s/NoLinksToken' },
  {
    path: '/ocm/notifications',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(NOTICE),
  },
  { ...ACCEPT, headers: FORM },
  { ...ACCEPT, headers: { ...FORM, 'user-agent': 'ownCloud Server Crawler' } },
];
/** Three of the calls wait for short reads, which share two connections (ADR 0261). */
const CONNECTIONS = CALLS.length - 1;
const LOCK = 'BEGIN; LOCK TABLE user_account, share IN ACCESS EXCLUSIVE MODE';
const WAITING = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND starts_with(application_name, 'drawbridge app ') AND wait_event_type = 'Lock'`;

const FEED = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'drawbridge change feed'`;

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly requests?: readonly { readonly requestId: string; readonly route: string }[];
}

let test: TestDatabase;
let holder: pg.Client;
let gateway: TestGateway;
let lines: Line[];

beforeEach(async () => {
  test = await createTestDatabase();
  holder = new pg.Client({ connectionString: test.url });
  await holder.connect();
});
afterEach(async () => {
  await holder.end();
  await test.drop();
});

async function start(grace: string): Promise<void> {
  lines = [];
  gateway = await startGateway({
    databaseUrl: test.url,
    env: { SHUTDOWN_GRACE: grace, DATABASE_POOL: '12' },
    logger: createLogger('debug', { write: (line) => void lines.push(JSON.parse(line) as Line) }),
  });
}

/** Scheduled work that waits for the locked tables too would keep the workers and the database open. */
const stopWorkers = (): Promise<void> =>
  gateway.instance.app.nest.get(WorkerLifecycle, { strict: false }).beforeApplicationShutdown();

const isRefused = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );

const ask = (query: string): Promise<unknown[]> => test.database.dataSource.query(query);

/** Makes all calls, and waits until all their connections wait in the database. The signal ends their connections to the gateway. */
async function hangAll(signal?: AbortSignal): Promise<Promise<boolean>[]> {
  await holder.query(LOCK);
  let begun = 0;
  gateway.instance.app.nest.getHttpServer().on('request', () => (begun += 1));
  const cut = CALLS.map(({ path, ...call }) =>
    fetch(gateway.url + path, { method: call.body === undefined ? 'GET' : 'POST', ...call, signal }).then(
      () => false,
      () => true,
    ),
  );
  // A statement of scheduled work may wait too.
  await eventually('the statements of all calls', async () => {
    const waiting = await ask(WAITING);
    return begun === CALLS.length && waiting.length >= CONNECTIONS;
  });
  return cut;
}

describe('a gateway that gets SIGTERM while requests hang in the database', () => {
  it('finishes them before it closes the database, even without their clients', async () => {
    await start('60s');
    await stopWorkers();
    const leaving = new AbortController();
    const cut = await hangAll(leaving.signal);
    leaving.abort();
    expect(await Promise.all(cut)).not.toContain(false);
    const stopped = gateway.stop();
    await eventually('a refused connection', () => isRefused(gateway.url));
    // Enough time for a wrong gateway to close everything, if it forgets requests without a client.
    for (let turn = 0; turn < 300; turn++) await ask('SELECT 1');
    await holder.query('COMMIT');
    await stopped;
    expect(lines.filter(({ level }) => level >= ERROR)).toEqual([]);
    expect(lines.filter(({ msg }) => /cut|put off/.test(msg))).toEqual([]);
  });

  it('reports the cut requests once, and does not log their failures as errors', async () => {
    await start('100ms');
    await stopWorkers();
    const cut = await hangAll();
    const stopped = gateway.stop();
    expect(await Promise.all(cut)).not.toContain(false);
    await eventually('the end of the database', async () => (await ask(FEED)).length === 0);
    await holder.query('COMMIT');
    await stopped;
    await eventually(
      'the end of the handlers',
      () => lines.filter(({ msg }) => msg === 'a request that was cut failed').length === CALLS.length,
    );
    expect(lines.filter(({ level }) => level >= WARNING)).toMatchObject([
      { msg: 'requests still under way after SHUTDOWN_GRACE are cut', count: CALLS.length },
    ]);
    const told = lines.find(({ requests }) => requests)?.requests?.map(({ route }) => route);
    expect(told).toEqual(expect.arrayContaining(['/s/:token', '/ocm/notifications']));
  });
});
