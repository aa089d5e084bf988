import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, readEnvelope, type EdgeReply } from './edge-client';

const GROUPS = '/cloud/groups';
const SHARES = '/apps/files_sharing/api/v1/shares';
const FORM = 'application/x-www-form-urlencoded';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway({ env: { MAX_REQUEST_BODY: '64KB' } });
  client = new EdgeClient(gateway);
});
afterAll(() => gateway.stop());

const post = (path: string, body: string | Buffer, type = FORM): Promise<EdgeReply> =>
  client.send({
    method: 'POST',
    target: `/ocs/v2.php${path}`,
    headers: { authorization: gateway.adminAuth, 'content-type': type },
    body,
  });
const ask = (target: string, headers: Record<string, string> = {}): Promise<EdgeReply> =>
  client.send({ target, headers: { authorization: gateway.adminAuth, ...headers } });
const groups = async (): Promise<unknown> => (await client.ocs('GET', GROUPS)).data;

/** Sends a body in pieces without saying how long it is. */
async function postInPieces(path: string, pieces: number): Promise<EdgeReply> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const headers = { authorization: gateway.adminAuth, 'content-type': FORM };
    const agent = new Agent({ keepAlive: false });
    const outgoing = request({ agent, hostname, port, method: 'POST', path, headers }, (reply) => {
      let body = '';
      reply.on('data', (chunk: Buffer) => (body += chunk.toString()));
      reply.on('end', () => resolve({ status: reply.statusCode!, headers: reply.headers, body }));
    });
    outgoing.on('error', reject);
    for (let piece = 0; piece < pieces; piece++) outgoing.write('x'.repeat(8192));
    outgoing.end();
  });
}

/** Answer to bytes that are no valid request. */
async function sendBytes(bytes: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('a body that is too large', () => {
  const TOO_LARGE = { http: 413, status: 'failure', code: 413 };

  it('is refused in an envelope, in both versions, and changes nothing', async () => {
    const before = await groups();
    const body = `groupid=large&x=${'x'.repeat(65 * 1024)}`;
    for (const version of [1, 2]) {
      const reply = await client.send({
        method: 'POST',
        target: `/ocs/v${version}.php${GROUPS}?format=json`,
        headers: { authorization: gateway.adminAuth, 'content-type': FORM },
        body,
      });
      expect(readEnvelope(reply)).toMatchObject(TOO_LARGE);
    }
    expect(await groups()).toEqual(before);
  });

  it('is also refused if its length is not announced', async () => {
    expect(readEnvelope(await postInPieces(`/ocs/v2.php${GROUPS}`, 100))).toMatchObject(TOO_LARGE);
  });

  it('may be as large as the limit', async () => {
    const body = 'groupid=just+right&x=';
    expect(readEnvelope(await post(GROUPS, body.padEnd(64 * 1024, 'x')))).toMatchObject({ http: 200 });
    expect(readEnvelope(await post(GROUPS, body.padEnd(64 * 1024 + 1, 'x')))).toMatchObject(TOO_LARGE);
  });
});

describe('headers that are too large', () => {
  it('are refused with 431', async () => {
    expect((await ask('/ocs/v2.php/cloud/user', { 'x-large': 'x'.repeat(20_000) })).status).toBe(431);
  });
});

describe('a path', () => {
  it.each([
    ['/cloud/users/%', 400],
    ['/cloud/users/%zz', 400],
    ['/cloud/users/%ff', 400],
    ['/cloud/users/%c0%af', 400],
    [`/cloud/users/${'x'.repeat(5000)}`, 414],
    ['/cloud/users/%00', 400],
    ['/cloud/users/a%00b/groups', 400],
    ['/cloud/groups/%00', 400],
    ['/cloud/apps/%00', 400],
    ['/cloud/capabilities/entries/%00', 400],
    ['/cloud/users?search=%00', 400],
    ['/cloud/users/..', 404],
    ['/cloud/users/%2e%2E/groups', 404],
    ['/cloud/../cloud/users', 404],
    ['/cloud%2Fusers', 404],
    ['/cloud/%75sers', 404],
    ['/cloud/users/%F0%9F%99%82', 404],
    [`/cloud/groups/${'x'.repeat(4000)}`, 404],
  ])('%s is answered in an envelope with %i', async (path, code) => {
    const two = readEnvelope(await ask(`/ocs/v2.php${path}`));
    expect(two).toMatchObject({ http: code, status: 'failure', code });
    const one = readEnvelope(await ask(`/ocs/v1.php${path}?format=json`));
    expect(one).toMatchObject({
      http: 200,
      status: 'failure',
      code: code === 404 ? expect.any(Number) : code,
    });
    expect(one.code).not.toBe(996);
  });

  it('without an app is a plain 404', async () => {
    expect(await ask('/nothing/%ff')).toMatchObject({ status: 400, body: 'Bad request\n' });
  });
});

describe('an id of a share', () => {
  const HUGE = '9'.repeat(30);

  it.each([
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x1',
    'abc',
    '%20',
    HUGE,
    '9223372036854775808',
    '2147483648',
    '٣',
    '1;DROP',
  ])('that is %s is unknown to every call', async (id) => {
    for (const [method, path] of [
      ['GET', `${SHARES}/${id}`],
      ['PUT', `${SHARES}/${id}`],
      ['DELETE', `${SHARES}/${id}`],
      ['GET', `${SHARES}/pending/${id}`],
      ['POST', `${SHARES}/pending/${id}`],
      ['DELETE', `${SHARES}/pending/${id}`],
    ] as const) {
      const reply = await client.ocs(method, encodeURI(path).replaceAll('%25', '%'), {
        form: { permissions: '1' },
        version: 2,
      });
      expect([method, path, reply.http, reply.code]).toEqual([method, path, 404, 404]);
    }
  });
});

describe('a bomb', () => {
  const entity =
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><l>&b;</l>';

  it.each<[string, string, string]>([
    ['nested lists', 'application/json', `{"groupid":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['nested maps', 'application/json', `${'{"groupid":'.repeat(5000)}1${'}'.repeat(5000)}`],
    [
      'nesting behind siblings',
      'application/json',
      `{"groupid":[${'1,'.repeat(2000)}${'['.repeat(25_000)}${']'.repeat(25_000)}]}`,
    ],
    [
      'many keys',
      'application/json',
      `{${Array.from({ length: 5000 }, (_, key) => `"k${key}":1`).join(',')}}`,
    ],
    ['many parameters', FORM, 'a=1&'.repeat(15_000)],
    ['many lists', FORM, 'a[]=1&'.repeat(9000)],
    ['many brackets', FORM, `groupid${'[a]'.repeat(15_000)}=1`],
    ['open brackets', FORM, `groupid${'['.repeat(60_000)}=1`],
    ['entities', 'application/xml', entity],
    [
      'many parts',
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`.repeat(900),
    ],
  ])('of %s is answered in time', async (_, type, body) => {
    const before = await groups();
    const reply = readEnvelope(await post(GROUPS, body, type));
    expect(reply).toMatchObject({ http: 400, status: 'failure', code: 400, message: 'Invalid group name' });
    expect(await groups()).toEqual(before);
  });
});

describe('a path in another spelling than its route', () => {
  const put = (target: string, body: string): Promise<EdgeReply> =>
    client.send({
      method: 'PUT',
      target,
      headers: { authorization: gateway.adminAuth, 'transfer-encoding': 'chunked' },
      body,
    });

  it.each([
    '/remote%2ephp/webdav/keep.txt',
    '/%72emote.php/webdav/keep.txt',
    '/remote.php/%77ebdav/keep.txt',
    '/remote.php/%64av/files/admin/keep.txt',
    '/remote.php/./webdav/keep.txt',
    '/dav/../remote.php/webdav/keep.txt',
    '/remote.php%2Fwebdav/keep.txt',
  ])('reaches no file: %s', async (target) => {
    expect((await put('/remote.php/webdav/keep.txt', 'kept')).status).toBeLessThan(205);
    expect((await put(target, 'lost')).status).toBe(404);
    expect((await ask('/remote.php/webdav/keep.txt')).body).toBe('kept');
  });

  it('reaches no call', async () => {
    for (const version of ['v1', 'v2'])
      expect(await ask(`/%6fcs/${version}.php/cloud/user`)).toMatchObject({
        status: 404,
        body: 'Not found\n',
      });
    expect((await client.send({ method: 'MKCOL', target: '/dav#/dav/17' })).status).toBe(400);
    expect((await ask('/status%2Ephp')).status).toBe(404);
  });

  it('is the same path with double slashes', async () => {
    expect(readEnvelope(await ask('//ocs///v2.php/cloud//user'))).toMatchObject({ http: 200, code: 200 });
    expect((await put('//remote.php//webdav//doubled.txt', 'x')).status).toBe(201);
    expect((await ask('/remote.php/webdav/doubled.txt')).body).toBe('x');
    expect((await ask('//status.php')).status).toBe(200);
  });
});

describe('bytes that are not HTTP', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['a header without a name', 'GET /ocs/v1.php/cloud/user HTTP/1.1\r\n: x\r\n\r\n'],
    [
      'two lengths',
      'POST /ocs/v1.php/cloud/groups HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    ],
    [
      'a length and pieces',
      'POST /ocs/v1.php/cloud/groups HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a path that is not encoded', 'GET /größe HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two hosts', 'GET /status.php HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['no host', 'GET /status.php HTTP/1.1\r\n\r\n'],
    ['a NUL in a header', 'GET /ocs/v1.php/cloud/user HTTP/1.1\r\nHost: a\0\r\n\r\n'],
  ])('(%s) get 400', async (_, bytes) => {
    expect(await sendBytes(bytes)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
