import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { administrationOn } from '#identity';
import {
  basicAuth,
  createTestDatabase,
  eventually,
  spawnApp,
  startGateway,
  type StartedProcess,
  type TestDatabase,
  type TestGateway,
} from '#testing';
import { isFullForm } from '../../libs/testing/src/full-form';

const CLIENTS = isFullForm ? 10_000 : 400;
const OF_AN_ACCOUNT = 50;
/** Memory of the process with 10,000 connections. */
const MOST_MB = 300;
const PASSWORD = 'pushes-of-the-specs';
const KEY = 'ab'.repeat(32);
const TIMEOUT_MS = 900_000;
const QUIET_MS = 3000;

const uids = Array.from({ length: CLIENTS / OF_AN_ACCOUNT }, (_, number) => `person${number}`);

let test: TestDatabase;
let gateway: TestGateway;
let web: StartedProcess;
let port: number;
let crowd: ChildProcess;

beforeAll(async () => {
  test = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: test.url, env: { ENCRYPTION_KEY: KEY } });
  const { users, groups } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  await groups.create('everybody');
  for (const uid of uids) await users.create({ uid, password: PASSWORD, groups: ['everybody'] });
  web = spawnApp({
    // With the memory options of images.
    command: ['bin/drawbridge-app', 'web'],
    env: {
      PORT: '0',
      PUBLIC_URL: 'https://cloud.example.org',
      DATA_DIR: gateway.dataDirectory,
      DATABASE_URL: test.url,
      ENCRYPTION_KEY: KEY,
      CONNECTIONS_PER_ADDRESS: String(2 * CLIENTS),
    },
  });
  port = Number(
    await eventually('the start of web', () => /"port":(\d+),"msg":"listening"/.exec(web.output())?.[1]),
  );
}, TIMEOUT_MS);
afterAll(async () => {
  if (crowd?.connected) crowd.disconnect();
  web?.child.kill('SIGTERM');
  await web?.exit;
  await gateway?.stop();
  await test?.drop();
}, TIMEOUT_MS);

const memoryMb = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${web.child.pid}/status`, 'utf8'))![1]) / 1024;

/** Asks the process of all clients; it ends if the server closes one of their connections. */
async function ask(about: string, details: object = {}): Promise<unknown> {
  const answer = new Promise((resolve, reject) => {
    crowd.once('message', resolve);
    crowd.once('exit', (code) => reject(new Error(`the clients ended with ${code}`)));
  });
  crowd.send({ ask: about, ...details });
  return answer;
}

async function call(path: string, init: RequestInit): Promise<void> {
  const headers = { authorization: basicAuth(uids[0]!, PASSWORD), 'ocs-apirequest': 'true' };
  const reply = await fetch(gateway.url + path, { ...init, headers });
  expect(reply.ok).toBe(true);
}

it(
  `a process sends an event to ${CLIENTS} clients, in less than ${MOST_MB} MB`,
  async () => {
    const before = memoryMb();
    crowd = fork('scripts/push-crowd.mjs');
    await ask('open', { port, count: CLIENTS, uids, password: PASSWORD });
    const open = memoryMb();
    await call('/remote.php/webdav/room', { method: 'MKCOL' });
    const share = { path: '/room', shareType: '1', shareWith: 'everybody', permissions: '31' };
    await call('/ocs/v2.php/apps/files_sharing/api/v1/shares', {
      method: 'POST',
      body: new URLSearchParams(share),
    });
    await ask('heard');
    for (const uid of uids) await list(uid);
    // Pushes about places that a listing created arrive within this time.
    await ask('quiet', { forMs: QUIET_MS });
    const writtenAt = Date.now();
    await call('/remote.php/webdav/room/file.txt', { method: 'PUT', body: 'one' });
    const times = (await ask('heard')) as { times: number[] };
    const [firstMs, lastMs] = [Math.min(...times.times), Math.max(...times.times)].map(
      (at) => at - writtenAt,
    );
    expect(times.times).toHaveLength(CLIENTS);
    const most = memoryMb();
    process.stdout.write(
      `${CLIENTS} clients: ${Math.round(before)} MB idle, ${Math.round(open)} MB connected, ${Math.round(most)} MB after a change; ` +
        `the first heard after ${firstMs} ms, the last after ${lastMs} ms\n`,
    );
    expect(most).toBeLessThan(MOST_MB);
  },
  TIMEOUT_MS,
);

/** Lists the tree of an account, which creates the places of its groups' shares. */
async function list(uid: string): Promise<void> {
  const headers = { authorization: basicAuth(uid, PASSWORD), depth: '1' };
  const reply = await fetch(`${gateway.url}/remote.php/webdav/`, { method: 'PROPFIND', headers });
  expect(reply.status).toBe(207);
  await reply.text();
}
