import { basicAuth, startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD, type EdgeEnvelope } from './edge-client';

/** POST /person/check: whether a user id and a password belong together. */
let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice', 'brian', 'diana');
  await client.ocs('PUT', '/cloud/users/diana/disable');
});
afterAll(() => gateway.stop());

const check = (version: 1 | 2, form: Record<string, string>): Promise<EdgeEnvelope> =>
  client.ocs('POST', '/person/check', { version, as: '', form });

describe.each([1, 2] as const)('a check of a password, version %i,', (version) => {
  const refused = (code: number) =>
    version === 1 ? { http: 200, code, message: null } : { http: 400, code: 400, message: null };

  it('answers the stored id of the person', async () => {
    const reply = await check(version, { login: 'ALICE', password: PASSWORD });
    expect(reply).toMatchObject({ http: 200, code: version === 1 ? 100 : 200 });
    expect(reply.data).toEqual({ person: { personid: 'alice' } });
  });

  it.each([
    ['no parameters', {}],
    ['no password', { login: 'alice' }],
    ['no login', { password: PASSWORD }],
    ['an empty password', { login: 'alice', password: '' }],
    ['an empty login', { login: '', password: PASSWORD }],
  ])('refuses %s with 101', async (_, form) => {
    expect(await check(version, form)).toMatchObject(refused(101));
  });

  it.each([
    ['a wrong password', { login: 'alice', password: 'wrong' }],
    ['an unknown user', { login: 'nobody', password: PASSWORD }],
    ['a disabled account', { login: 'diana', password: PASSWORD }],
    ['a password that no account can have', { login: 'alice', password: 'x'.repeat(1025) }],
  ])('refuses %s with 102', async (_, form) => {
    expect(await check(version, form)).toMatchObject(refused(102));
  });
});

describe('guesses by checks of a password', () => {
  it('count as failed sign-ins: after ten even the right password is 429', async () => {
    for (let guess = 0; guess < 10; guess++)
      expect(await check(1, { login: 'brian', password: `guess ${guess}` })).toMatchObject({ code: 102 });
    const reply = await check(1, { login: 'brian', password: 'another guess' });
    expect(reply).toMatchObject({ http: 429, code: 429 });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    const headers = { authorization: basicAuth('brian', 'another') };
    expect((await client.send({ target: '/ocs/v1.php/cloud/user', headers })).status).toBe(429);
  });

  it('are not possible from pages of other sites', async () => {
    const headers = {
      origin: 'https://elsewhere.example',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = `login=alice&password=${PASSWORD}`;
    const target = '/ocs/v1.php/person/check';
    expect((await client.send({ method: 'POST', target, headers, body })).status).toBe(403);
  });
});
