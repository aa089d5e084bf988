import { connect } from 'node:net';
import pg from 'pg';
import { administrationOn } from '#identity';
import {
  basicAuth,
  createTestDatabase,
  eventually,
  startGateway,
  type TestDatabase,
  type TestGateway,
} from '#testing';
import { cutChangeFeeds } from '../../libs/testing/src/rigs/change-feeds';
import { offerBody } from '../federation/inbound-partner';
import { Browser, PASSWORD } from './browser';
import { EdgeClient } from './edge-client';
import { PageEvents, PushClient } from './push-client';

let test: TestDatabase;
let here: TestGateway;
let there: TestGateway;
let admin: EdgeClient;
const open: { close(): void }[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  const env = { ENCRYPTION_KEY: 'ab'.repeat(32) };
  here = await startGateway({ databaseUrl: test.url, env });
  there = await startGateway({ databaseUrl: test.url, env });
  admin = new EdgeClient(here);
  const { users } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  for (const uid of ['alice', 'bob', 'carol', 'diana']) await users.create({ uid, password: PASSWORD });
});
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});
afterAll(async () => {
  await there?.stop();
  await here?.stop();
  await test?.drop();
});

async function listen(uid: string, password = PASSWORD, ...more: string[]): Promise<PushClient> {
  const client = await PushClient.open(there.url, uid, password, ...more);
  open.push(client);
  return client;
}

async function signedIn(uid: string, ...more: string[]): Promise<PushClient> {
  const client = await listen(uid, PASSWORD, ...more);
  expect(client.heard[0]).toBe('authenticated');
  return client;
}

async function dav(uid: string, method: string, path: string, body?: string): Promise<Response> {
  const reply = await fetch(`${here.url}/remote.php/webdav${path}`, {
    method,
    headers: { authorization: basicAuth(uid, PASSWORD) },
    body,
  });
  expect(reply.ok).toBe(true);
  return reply;
}

async function share(uid: string, path: string, recipient: Record<string, string>): Promise<void> {
  const { code } = await admin.ocs('POST', '/apps/files_sharing/api/v1/shares', {
    as: uid,
    password: PASSWORD,
    form: { path, ...recipient },
  });
  expect(code).toBe(100);
}

const offer = (providerId: string): Promise<Response> =>
  fetch(`${here.url}/ocm/shares`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(offerBody(providerId, `a-secret-of-the-offer-${providerId}`)),
  });

describe('a client of notify_push', () => {
  it('finds the address in the capabilities', async () => {
    const { data } = await admin.ocs('GET', '/cloud/capabilities');
    expect(JSON.parse(JSON.stringify(data)).capabilities.notify_push).toEqual({
      type: ['files', 'activities', 'notifications'],
      endpoints: { websocket: `${here.url.replace('http', 'ws')}/push/ws` },
    });
  });

  it('gets an error for a wrong password, and is disconnected', async () => {
    const client = await listen('alice', 'wrong');
    expect([client.heard, await client.isCut()]).toEqual([['err: Invalid credentials'], 1008]);
  });

  it('gets events of files that change at another replica, with their ids on request', async () => {
    const [plain, listed, stranger] = [
      await signedIn('alice'),
      await signedIn('alice', 'listen notify_file_id'),
      await signedIn('diana'),
    ];
    await dav('alice', 'PUT', '/mine.txt', 'one');
    const id = await idOf('alice', '/mine.txt');
    await plain.hears('notify_file');
    await listed.hears('notify_file_id ');
    await eventually('the id of the file', async () => {
      await dav('alice', 'PUT', '/mine.txt', 'two');
      return listed.heard.some((text) => idsIn(text).includes(id));
    });
    expect(plain.heard.some((text) => text.startsWith('notify_file_id'))).toBe(false);
    await dav('diana', 'PUT', '/own.txt', 'one');
    await stranger.hears('notify_file');
    expect(stranger.heard).toEqual(['authenticated', 'notify_file']);
  });

  it('costs writes no announcement, as their commits would wait for each other', async () => {
    const { groups } = administrationOn(test.database, { COMPATIBILITY: 'documented' });
    await groups.create('team');
    await test.database.dataSource.query(`INSERT INTO group_member (gid, uid) VALUES ('team', 'carol')`);
    // The first offer of a partner announces the partner, as does a worker that looks for it.
    expect((await offer('1')).status).toBe(201);
    const listener = new pg.Client({ connectionString: test.url });
    await listener.connect();
    const announced: string[] = [];
    listener.on('notification', ({ payload }) => announced.push(payload!));
    await listener.query('LISTEN drawbridge_changes');
    const alice = await signedIn('alice');
    await dav('alice', 'MKCOL', '/written');
    await dav('alice', 'PUT', '/written/file.txt', 'one');
    await share('alice', '/written', { shareType: '0', shareWith: 'bob' });
    await share('alice', '/written', { shareType: '1', shareWith: 'team' });
    await share('alice', '/written', { shareType: '3' });
    await dav('alice', 'PUT', '/written/file.txt', 'two');
    expect((await offer('2')).status).toBe(201);
    await alice.hears('notify_activity');
    await alice.hears('notify_notification');
    await listener.query(`NOTIFY drawbridge_changes, 'group:last'`);
    await eventually('the last announcement', () => announced.includes('group:last'));
    await listener.end();
    expect(announced.filter((one) => !/^(account|app-password|session|group|peer):/.test(one))).toEqual([]);
  });

  it('gets events of nodes shared with it, but not of other nodes in the same folders', async () => {
    const bob = await signedIn('bob', 'listen notify_file_id');
    for (const path of ['/outer', '/outer/inner']) await dav('alice', 'MKCOL', path);
    await share('alice', '/outer/inner', { shareType: '0', shareWith: 'bob', permissions: '31' });
    await bob.hears('notify_file');
    await bob.hears('notify_notification');
    bob.heard.length = 0;
    const inner = await idOf('alice', '/outer/inner');
    await eventually('the changed folder', async () => {
      await dav('alice', 'PUT', '/outer/inner/file.txt', 'one');
      return bob.heard.some((text) => idsIn(text).includes(inner));
    });
    await dav('alice', 'PUT', '/outer/private.txt', 'one');
    const root = await idOf('bob', '/');
    // A gap of the change feed, as on a busy machine, gives news without ids: the next change has them again.
    await eventually('the marker', async () => {
      await dav('bob', 'PUT', '/marker.txt', 'one');
      return bob.heard.some((text) => idsIn(text).includes(root));
    });
    const around = [await idOf('alice', '/outer'), await idOf('alice', '/')];
    expect(bob.heard.flatMap(idsIn).filter((id) => around.includes(id))).toEqual([]);
  });

  it('gets a general event after changes could have been missed', async () => {
    const client = await signedIn('alice');
    expect(await cutChangeFeeds(test.url)).toBeGreaterThan(0);
    for (const signal of ['file', 'activity', 'notification']) await client.hears(`notify_${signal}`);
  });
});

describe('a connection ends with the sign-in behind it', () => {
  const account = (uid: string, action: string) => admin.ocs('PUT', `/cloud/users/${uid}/${action}`);

  it('when the password changes', async () => {
    const client = await signedIn('carol');
    await admin.ocs('PUT', '/cloud/users/carol', { form: { key: 'password', value: `${PASSWORD} 2` } });
    expect(await client.isCut()).toBe(1008);
    expect((await listen('carol')).heard).toEqual(['err: Invalid credentials']);
  });

  it('when the account is disabled', async () => {
    const client = await signedIn('bob');
    await account('bob', 'disable');
    expect(await client.isCut()).toBe(1008);
    await account('bob', 'enable');
  });

  it('when its app password is revoked, which needs the scope of files', async () => {
    const browser = new Browser(here.url);
    await browser.signIn('alice');
    const make = async (scopes: string[]) => {
      const reply = await browser.fetch('/web/app-passwords', {
        method: 'POST',
        headers: { requesttoken: browser.requestToken, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'device', scopes, readOnly: true }),
      });
      return (await reply.json()) as { id: number; secret: string };
    };
    const [files, sharing] = [await make(['files']), await make(['sharing'])];
    const client = await listen('alice', files.secret);
    expect(client.heard).toEqual(['authenticated']);
    expect((await listen('alice', sharing.secret)).heard).toEqual(['err: Invalid credentials']);
    await browser.change('DELETE', `/web/app-passwords/${files.id}`);
    expect(await client.isCut()).toBe(1008);
  });
});

describe('a page', () => {
  it('gets events as long as its session lasts', async () => {
    const browser = new Browser(there.url);
    await browser.signIn('alice');
    const events = await PageEvents.open(there.url, { cookie: browser.cookie! });
    open.push(events);
    expect(events.status).toBe(200);
    await dav('alice', 'PUT', '/seen.txt', 'one');
    await events.hears('file');
    const other = new Browser(here.url);
    await other.signIn('alice');
    await other.change('DELETE', '/web/sessions');
    await events.hears('signed-out');
    await eventually('the end of the events', () => events.isOver);
  });

  it('needs a session, and the type of events', async () => {
    expect((await fetch(`${here.url}/web/events`, { headers: { accept: 'text/event-stream' } })).status).toBe(
      401,
    );
    const browser = new Browser(here.url);
    await browser.signIn('alice');
    expect((await browser.fetch('/web/events')).status).toBe(406);
  });
});

describe('the endpoint', () => {
  /** First line of the answer to a request that asks for another protocol. */
  const upgrade = (path: string, protocol: string, more = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(here.url);
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${more}\r\n`,
        );
      });
      socket.once('data', (data) => {
        resolve(data.toString().split('\r\n')[0]!);
        socket.destroy();
      });
      socket.once('error', reject);
    });
  const KEY = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n`;

  it('is open for WebSockets only at its path', async () => {
    expect(await upgrade('/push/ws', 'websocket', KEY)).toContain(' 101 ');
    expect(await upgrade('/status.php', 'websocket', KEY)).toContain(' 200 ');
    expect(await upgrade('/status.php', 'h2c')).toContain(' 200 ');
    expect(await upgrade('/push/ws', 'websocket')).toContain(' 400 ');
    expect(await upgrade('/push/ws', 'h2c')).toContain(' 404 ');
  });

  it('is closed during maintenance, and open connections end', async () => {
    const client = await signedIn('alice');
    const maintenance = (value: string) =>
      admin.ocs('POST', '/apps/provisioning_api/api/v1/config/apps/system/maintenance', { form: { value } });
    await maintenance('yes');
    expect(await client.isCut()).toBe(1008);
    await eventually('503', async () => (await upgrade('/push/ws', 'websocket', KEY)).includes(' 503 '));
  });
});

const idsIn = (text: string): number[] =>
  text.startsWith('notify_file_id ') ? (JSON.parse(text.slice('notify_file_id '.length)) as number[]) : [];

async function idOf(uid: string, path: string): Promise<number> {
  const body =
    '<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:fileid/></d:prop></d:propfind>';
  const reply = await fetch(`${here.url}/remote.php/webdav${path}`, {
    method: 'PROPFIND',
    headers: { authorization: basicAuth(uid, PASSWORD), depth: '0' },
    body,
  });
  return Number(/<oc:fileid>(\d+)/.exec(await reply.text())![1]);
}
