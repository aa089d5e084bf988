import { basicAuth, startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD, readEnvelope, type EdgeEnvelope } from './edge-client';

const APP_ROUTE = '/cloud/capabilities';
const LEGACY_ROUTE = '/cloud/users';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice', 'diana');
  await client.ocs('PUT', '/cloud/users/diana/disable');
});
afterAll(() => gateway.stop());

async function ask(version: 1 | 2, path: string, headers: Record<string, string>): Promise<EdgeEnvelope> {
  return readEnvelope(await client.send({ target: `/ocs/v${version}.php${path}`, headers }));
}

const REFUSED: readonly (readonly [string, Record<string, string>])[] = [
  ['no credentials', {}],
  ['a wrong password', { authorization: basicAuth('alice', 'wrong') }],
  ['an unknown user', { authorization: basicAuth('nobody', PASSWORD) }],
  ['an empty password', { authorization: basicAuth('alice', '') }],
  ['half a Basic header', { authorization: 'Basic' }],
  ['no base64', { authorization: 'Basic %%%' }],
  ['another scheme', { authorization: 'Bearer abc' }],
  ['a password with NUL', { authorization: basicAuth('alice', 'a\0b') }],
  ['a header of the greatest length', { authorization: `Basic ${'x'.repeat(8000)}` }],
];

describe.each([1, 2] as const)('version %i with', (version) => {
  it.each(REFUSED)('%s answers 401 with 997 in an envelope', async (_, headers) => {
    const reply = await ask(version, APP_ROUTE, headers);
    expect(reply).toMatchObject({ http: 401, status: 'failure', code: 997, message: 'Unauthorised' });
    expect(reply.headers['www-authenticate']).toBeUndefined();
    expect(reply.headers['content-type']).toBe('application/xml; charset=utf-8');
  });

  it.each(REFUSED)('%s asks for credentials on a legacy route', async (_, headers) => {
    const reply = await ask(version, LEGACY_ROUTE, headers);
    expect(reply).toMatchObject({ http: 401, code: 997, message: 'Unauthorised' });
    expect(reply.headers['www-authenticate']).toBe('Basic realm="Authorisation Required"');
    expect(reply.headers['content-type']).toBe('text/xml; charset=UTF-8');
  });

  it('a disabled account is reported only after the right password', async () => {
    const reply = await ask(version, APP_ROUTE, { authorization: basicAuth('diana', PASSWORD) });
    expect(reply).toMatchObject({ http: 401, code: 997, message: 'User disabled' });
    expect(reply.headers['www-authenticate']).toBe('Basic realm="Authorisation Required"');
    expect(reply.headers['content-type']).toBe('text/xml; charset=UTF-8');
    const guessed = await ask(version, APP_ROUTE, { authorization: basicAuth('diana', 'wrong') });
    expect(guessed.message).toBe('Unauthorised');
  });

  it('a user without rights is unauthorised on a legacy route for administrators', async () => {
    const reply = await ask(version, LEGACY_ROUTE, { authorization: basicAuth('alice', PASSWORD) });
    expect(reply).toMatchObject({ http: 401, code: 997, message: 'Unauthorised' });
  });
});

describe('the challenge', () => {
  it('is not shown by a browser for the request of a script', async () => {
    const reply = await ask(1, LEGACY_ROUTE, { 'x-requested-with': 'XMLHttpRequest' });
    expect(reply.headers['www-authenticate']).toBe('DummyBasic realm="Authorisation Required"');
  });

  it('is sent on other routes for clients that want to make an app password', async () => {
    const reply = await ask(1, APP_ROUTE, { 'oc-requestapppassword': 'true' });
    expect(reply.headers['www-authenticate']).toMatch(/^Basic realm=".+"$/);
    const other = await ask(1, APP_ROUTE, { 'oc-requestapppassword': 'false' });
    expect(other.headers['www-authenticate']).toBeUndefined();
  });
});

describe('a caller with the right password', () => {
  it.each([
    ['alice', 'alice'],
    ['ALICE', 'alice'],
  ])('signs in as %s', async (uid, known) => {
    const reply = await client.ocs('GET', '/cloud/user', { as: uid });
    expect(reply).toMatchObject({ http: 200, code: 100, message: 'OK' });
    expect(reply.data).toEqual({ id: known, 'display-name': 'alice', email: null, language: 'en' });
  });

  it('may send anonymous requests without signing in', async () => {
    const config = readEnvelope(await client.send({ target: '/ocs/v1.php/config?format=json' }));
    expect(config).toMatchObject({ http: 200, code: 100, message: null });
    expect(config.data).toMatchObject({
      version: '1.7',
      contact: '',
      ssl: 'false',
      host: new URL(gateway.url).host,
    });
    expect((await client.send({ target: '/status.php' })).headers).toMatchObject({
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
    });
  });
});
