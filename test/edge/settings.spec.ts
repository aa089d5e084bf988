import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, type EdgeEnvelope, type OcsCall } from './edge-client';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice', 'sonia');
  await client.ocs('POST', '/cloud/groups', { form: { groupid: 'staff' } });
  await client.ocs('POST', '/cloud/users/sonia/subadmins', { form: { groupid: 'staff' } });
});
afterAll(() => gateway.stop());

const on = (method: string, name: string, call: OcsCall = {}): Promise<EdgeEnvelope> =>
  client.ocs(method, `/apps/provisioning_api/api/v1/config/apps/${name}`, call);
const valueOf = async (name: string): Promise<unknown> => (await on('GET', name)).data;
const set = (name: string, value: string): Promise<EdgeEnvelope> => on('POST', name, { form: { value } });

async function capabilities(as?: string) {
  const { data } = await client.ocs('GET', '/cloud/capabilities', { as });
  return JSON.parse(JSON.stringify(data)).capabilities;
}

describe('a setting', () => {
  it('is read, changed, and put back to its default', async () => {
    const name = 'core/shareapi_expire_after_n_days';
    expect(await on('GET', name)).toMatchObject({ http: 200, code: 100, message: null, data: { data: '7' } });
    expect(await set(name, '30')).toMatchObject({ http: 200, code: 100, message: null, data: [] });
    expect(await valueOf(name)).toEqual({ data: '30' });
    expect(await on('DELETE', name)).toMatchObject({ code: 100, data: [] });
    expect(await valueOf(name)).toEqual({ data: '7' });
    expect(await on('DELETE', name)).toMatchObject({ code: 100 });
  });

  it('may be given as JSON', async () => {
    expect(await on('POST', 'core/shareapi_default_permissions', { json: { value: 19 } })).toMatchObject({
      code: 100,
    });
    expect(await valueOf('core/shareapi_default_permissions')).toEqual({ data: '19' });
    await on('DELETE', 'core/shareapi_default_permissions');
  });

  it.each([
    'core/nonsense',
    'nonsense/shareapi_enabled',
    'core/__proto__',
    'core/SHAREAPI_ENABLED',
    `x/${'y'.repeat(1000)}`,
  ])('that is called %s is unknown', async (name) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await on(method, name, { form: { value: 'yes' }, version: 2 })).toMatchObject({
        http: 404,
        code: 404,
      });
  });

  it.each<[string, OcsCall]>([
    ['core/shareapi_enabled', { form: { value: 'maybe' } }],
    ['core/shareapi_enabled', { form: { value: '' } }],
    ['core/shareapi_enabled', {}],
    ['core/shareapi_enabled', { form: { value: ['no'] } }],
    ['core/shareapi_enabled', { json: { value: null } }],
    ['core/shareapi_enabled', { json: { value: { a: 'no' } } }],
    ['core/shareapi_expire_after_n_days', { form: { value: '-1' } }],
    ['core/shareapi_expire_after_n_days', { form: { value: '9'.repeat(40) } }],
    ['core/shareapi_expire_after_n_days', { json: { value: 1.5 } }],
    ['core/shareapi_default_permissions', { form: { value: '32' } }],
    ['core/shareapi_exclude_groups_list', { form: { value: '[1]' } }],
    ['system/share_folder', { form: { value: '/a/../b' } }],
    ['system/share_folder', { form: { value: 'x'.repeat(70_000) } }],
  ])('%s refuses %j', async (name, call) => {
    const before = await valueOf(name);
    expect(await on('POST', name, { ...call, version: 2 })).toMatchObject({ http: 400, code: 400 });
    expect(await valueOf(name)).toEqual(before);
  });

  it.each([
    ['alice', 200, 403],
    ['sonia', 200, 403],
    ['', 401, 997],
  ])('is forbidden for %j', async (as, http, code) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await on(method, 'core/shareapi_enabled', { as, form: { value: 'no' } })).toMatchObject({
        http,
        code,
      });
    expect(await valueOf('core/shareapi_enabled')).toEqual({ data: 'yes' });
  });
});

describe('every setting of the conformance kit', () => {
  const kit = readFileSync(resolve(__dirname, '../conformance/run.mjs'), 'utf8');
  const table = /DEFAULTS = \{(.*?)\n\};/s.exec(kit)![1]!;
  const settings = [...table.matchAll(/'([^']+)': '([^']*)'/g)].map(
    ([, name, value]) => [name!, value!] as const,
  );

  it('exists', () => {
    expect(settings.length).toBeGreaterThan(30);
  });

  it.each(settings)('%s has the default %s and accepts it', async (name, value) => {
    expect(await valueOf(name)).toEqual({ data: value });
    expect(await set(name, value)).toMatchObject({ code: 100 });
    expect(await valueOf(name)).toEqual({ data: value });
    expect(await on('DELETE', name)).toMatchObject({ code: 100 });
  });
});

describe('capabilities', () => {
  it.each([
    ['core/shareapi_allow_resharing', 'no', (seen: Seen) => seen.files_sharing.resharing, false],
    ['core/shareapi_enabled', 'no', (seen: Seen) => seen.files_sharing.api_enabled, false],
    ['core/shareapi_default_permissions', '1', (seen: Seen) => seen.files_sharing.default_permissions, 1],
    ['system/user.search_min_length', '4', (seen: Seen) => seen.files_sharing.search_min_length, 4],
  ])('follow %s at once', async (name, value, look, expected) => {
    const before = look(await capabilities());
    expect(before).not.toEqual(expected);
    await set(name, value);
    expect(look(await capabilities())).toEqual(expected);
    await on('DELETE', name);
    expect(look(await capabilities())).toEqual(before);
  });

  it('depend on the caller', async () => {
    await client.ocs('POST', '/cloud/users/alice/groups', { form: { groupid: 'staff' } });
    await set('core/shareapi_exclude_groups', 'yes');
    await set('core/shareapi_exclude_groups_list', '["staff"]');
    expect((await capabilities('alice')).files_sharing.can_share).toBe(false);
    expect((await capabilities('sonia')).files_sharing.can_share).toBe(true);
    for (const key of ['exclude_groups', 'exclude_groups_list']) await on('DELETE', `core/shareapi_${key}`);
    expect((await capabilities('alice')).files_sharing.can_share).toBe(true);
  });

  it('are the same in XML', async () => {
    const reply = await client.send({
      target: '/ocs/v1.php/cloud/capabilities',
      headers: { authorization: gateway.adminAuth },
    });
    expect(reply.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(reply.body).toContain('<message/>');
    expect(reply.body).toContain('    <api_enabled>1</api_enabled>\n');
    expect(reply.body).toContain('     <element>.htaccess</element>\n');
  });
});

type Seen = Awaited<ReturnType<typeof capabilities>>;
