import { ADMIN, startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD, type EdgeEnvelope } from './edge-client';

/** The rules for new passwords of accounts and public links, as shipped and as settings change them. */
let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice');
});
afterAll(() => gateway.stop());

const TOO_SHORT = 'The password must be at least 10 characters long';
const COMMON = 'The password is one of those that are tried first: choose another one';
const SHARES = '/apps/files_sharing/api/v1/shares';

const set = (key: string, value: string): Promise<EdgeEnvelope> =>
  client.ocs('POST', `/apps/provisioning_api/api/v1/config/apps/password_policy/${key}`, { form: { value } });
const create = (userid: string, password: string, version: 1 | 2 = 1): Promise<EdgeEnvelope> =>
  client.ocs('POST', '/cloud/users', { form: { userid, password }, version });
const change = (value: string, as: string = ADMIN.uid, version: 1 | 2 = 1): Promise<EdgeEnvelope> =>
  client.ocs('PUT', '/cloud/users/alice', { form: { key: 'password', value }, as, version });
const link = (password: string, version: 1 | 2 = 1): Promise<EdgeEnvelope> =>
  client.ocs('POST', SHARES, { form: { path: '/f', shareType: '3', password }, as: 'alice', version });

describe('the password of an account', () => {
  it.each([
    ['nine-char', TOO_SHORT],
    ['qwertyuiop', COMMON],
    ['QWERTYUIOP', COMMON],
  ])('cannot be %s', async (password, message) => {
    expect(await create('brian', password)).toMatchObject({ http: 200, code: 101, message });
    expect(await create('brian', password, 2)).toMatchObject({ http: 400, code: 400, message });
    for (const as of ['alice', ADMIN.uid])
      expect(await change(password, as)).toMatchObject({ http: 200, code: 403, message });
    expect(await change(password, 'alice', 2)).toMatchObject({ http: 403, code: 403, message });
    expect(await client.ocs('GET', '/cloud/users/brian')).toMatchObject({ code: 998 });
    expect(await client.ocs('GET', '/cloud/user', { as: 'alice' })).toMatchObject({ code: 100 });
  });

  it('is checked after everything else: an existing or invalid user id is reported first', async () => {
    expect(await create('ALICE', 'short')).toMatchObject({ code: 102, message: 'User already exists' });
    expect((await create('ab', 'short')).message).toContain('username');
    expect((await create('brian', '  ')).message).toBe('A valid password must be provided');
  });

  it('is checked when it is set, and never afterwards', async () => {
    await set('minLength', '3');
    await set('enforceNonCommonPassword', 'no');
    expect(await create('carol', 'letmein')).toMatchObject({ code: 100 });
    await set('minLength', '10');
    await set('enforceNonCommonPassword', 'yes');
    const as = { as: 'carol', password: 'letmein' };
    expect(await client.ocs('GET', '/cloud/user', as)).toMatchObject({ code: 100 });
    const display = { key: 'display', value: 'Carol' };
    expect(await client.ocs('PUT', '/cloud/users/carol', { ...as, form: display })).toMatchObject({
      code: 100,
    });
  });
});

describe('the password of a public link', () => {
  beforeAll(async () => {
    const { authorization } = { authorization: `Basic ${btoa(`alice:${PASSWORD}`)}` };
    await client.send({ method: 'MKCOL', target: '/remote.php/webdav/f', headers: { authorization } });
  });

  it.each([
    ['nine-char', TOO_SHORT],
    ['1234567890', COMMON],
  ])('cannot be %s', async (password, message) => {
    expect(await link(password)).toMatchObject({ http: 200, code: 403, message });
    expect(await link(password, 2)).toMatchObject({ http: 403, code: 403, message });
    const made = await link('long enough!');
    expect(made).toMatchObject({ code: 100 });
    const path = `${SHARES}/${(made.data as { id: string }).id}`;
    const update = (value: string) => client.ocs('PUT', path, { form: { password: value }, as: 'alice' });
    expect(await update(password)).toMatchObject({ code: 400, message });
    expect(await update('another long one')).toMatchObject({ code: 100 });
    expect(await update('')).toMatchObject({ code: 100 });
  });
});

describe('the rules', () => {
  it('follow the settings at once, and are in the capabilities', async () => {
    const announced = async () =>
      ((await client.ocs('GET', '/cloud/capabilities')).data as { capabilities: Record<string, unknown> })
        .capabilities.password_policy;
    expect(await announced()).toMatchObject({ min_characters: 10 });
    await set('minLength', '14');
    expect(await announced()).toMatchObject({ min_characters: 14 });
    expect((await link('thirteen char')).message).toContain('14 characters');
    await set('minLength', '0');
    await set('enforceNonCommonPassword', 'no');
    expect(await announced()).toBeUndefined();
    expect(await link('x')).toMatchObject({ code: 100 });
  });
});
