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
import { RawPushClient } from './raw-push-client';

const isFull = process.env.LONG_RUNS === 'full';
const CLIENTS = isFull ? 10_000 : 400;
const OF_AN_ACCOUNT = 50;
const OPENED_AT_ONCE = 50;
/** Memory of the process with 10,000 connections. */
const MOST_MB = 300;
const PASSWORD = 'pushes-of-the-specs';
const KEY = 'ab'.repeat(32);
const TIMEOUT_MS = 900_000;

const uids = Array.from({ length: CLIENTS / OF_AN_ACCOUNT }, (_, number) => `person${number}`);

let test: TestDatabase;
let gateway: TestGateway;
let web: StartedProcess;
let port: number;
const clients: RawPushClient[] = [];

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
  for (const client of clients) client.close();
  web?.child.kill('SIGTERM');
  await web?.exit;
  await gateway?.stop();
  await test?.drop();
}, TIMEOUT_MS);

const memoryMb = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${web.child.pid}/status`, 'utf8'))![1]) / 1024;

async function call(path: string, init: RequestInit): Promise<void> {
  const headers = { authorization: basicAuth(uids[0]!, PASSWORD), 'ocs-apirequest': 'true' };
  const reply = await fetch(gateway.url + path, { ...init, headers });
  expect(reply.ok).toBe(true);
}

it(
  `a process sends an event to ${CLIENTS} clients, in less than ${MOST_MB} MB`,
  async () => {
    const before = memoryMb();
    for (let at = 0; at < CLIENTS; at += OPENED_AT_ONCE) {
      for (let one = at; one < at + OPENED_AT_ONCE; one += 1)
        clients.push(RawPushClient.open(port, uids[one % uids.length]!, PASSWORD));
      await eventually('their sign-in', () => clients.slice(at).every(({ isSignedIn }) => isSignedIn));
    }
    const open = memoryMb();
    expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(0);
    await call('/remote.php/webdav/room', { method: 'MKCOL' });
    const share = { path: '/room', shareType: '1', shareWith: 'everybody', permissions: '31' };
    await call('/ocs/v2.php/apps/files_sharing/api/v1/shares', {
      method: 'POST',
      body: new URLSearchParams(share),
    });
    const heard = () => clients.every(({ receivedAt }) => receivedAt.length > 0);
    await eventually('news of the share', heard);
    for (const uid of uids) await list(uid);
    // Pushes about places that a listing created arrive within this time.
    await eventually('quiet', () =>
      clients.every(({ receivedAt }) => Date.now() - receivedAt.at(-1)! > 3000),
    );
    for (const client of clients) client.receivedAt.length = 0;
    const writtenAt = Date.now();
    await call('/remote.php/webdav/room/file.txt', { method: 'PUT', body: 'one' });
    await eventually('news of the file', heard);
    const lastMs = Math.max(...clients.map(({ receivedAt }) => receivedAt[0]!)) - writtenAt;
    const firstMs = Math.min(...clients.map(({ receivedAt }) => receivedAt[0]!)) - writtenAt;
    const most = memoryMb();
    expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(0);
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
