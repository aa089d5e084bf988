import { ADMIN, startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD, type EdgeEnvelope } from './edge-client';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway({ compatibility: 'owncloud10' });
  client = new EdgeClient(gateway);
  await client.makeUsers('alice', 'brian', 'carol', 'sonia');
  for (const groupid of ['staff', 'guests']) await client.ocs('POST', '/cloud/groups', { form: { groupid } });
  await client.ocs('POST', '/cloud/users/brian/groups', { form: { groupid: 'staff' } });
  await client.ocs('POST', '/cloud/users/sonia/subadmins', { form: { groupid: 'staff' } });
});
afterAll(() => gateway.stop());

const UNAUTHORISED = { http: 401, code: 997 };
const UNKNOWN = { code: 998, message: 'The requested user could not be found' };

const users = async (query = '', as = ADMIN.uid as string): Promise<string[]> =>
  ((await client.ocs('GET', '/cloud/users', { query, as })).data as { users: string[] }).users;
const create = (
  form: Record<string, string | string[]>,
  as?: string,
  version?: 1 | 2,
): Promise<EdgeEnvelope> => client.ocs('POST', '/cloud/users', { form, as, version });
const edit = (uid: string, key: string, value: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('PUT', `/cloud/users/${uid}`, { form: { key, value }, as });
const show = async (uid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('GET', `/cloud/users/${uid}`, { as });

describe('a list of users', () => {
  it('is for administrators, and for subadmins with their groups', async () => {
    expect(await users()).toEqual(['admin', 'alice', 'brian', 'carol', 'sonia']);
    expect(await users('', 'sonia')).toEqual(['brian']);
    expect(await client.ocs('GET', '/cloud/users', { as: 'alice' })).toMatchObject(UNAUTHORISED);
    expect(await client.ocs('GET', '/cloud/users', { as: '' })).toMatchObject(UNAUTHORISED);
  });

  it.each([
    ['search=li', ['alice']],
    ['search=LI', ['alice']],
    ['search=%25', []],
    ['search=_', []],
    ['search=%5C', []],
    ['limit=2&offset=1', ['alice', 'brian']],
    ['offset=100', []],
  ])('for %s', async (query, found) => {
    expect(await users(query)).toEqual(found);
  });
});

describe('a new user', () => {
  it('can sign in, and is in the given groups', async () => {
    const made = await create({ userid: 'Newman', password: 'pass word ü', groups: ['staff', 'guests'] });
    expect(made).toMatchObject({ http: 200, status: 'ok', code: 100, message: null, data: [] });
    expect(
      (await client.ocs('GET', '/cloud/user', { as: 'newman', password: 'pass word ü' })).data,
    ).toMatchObject({ id: 'Newman' });
    expect((await client.ocs('GET', '/cloud/users/newman/groups')).data).toEqual({
      groups: ['guests', 'staff'],
    });
    expect(await client.ocs('DELETE', '/cloud/users/NEWMAN')).toMatchObject({ code: 100 });
  });

  it.each<[Record<string, string | string[]>, number, number, string | null]>([
    [{}, 101, 400, 'A valid username must be provided'],
    [{ userid: 'x1y', password: '' }, 101, 400, 'A valid password must be provided'],
    [{ userid: 'x1y', password: '   ' }, 101, 400, 'A valid password must be provided'],
    [{ userid: 'ab', password: 'p' }, 101, 400, 'The username must be at least 3 characters long'],
    [{ userid: 'a/b', password: 'p' }, 101, 400, expect.stringContaining('Only the following characters')],
    [{ userid: 'x'.repeat(65), password: 'p' }, 101, 400, expect.stringContaining('longer than 64')],
    [{ userid: 'ALICE', password: 'p' }, 102, 400, 'User already exists'],
    [{ userid: 'x1y', password: 'p', groups: ['staff', 'none'] }, 104, 403, 'group none does not exist'],
  ])('of %j is refused with %i', async (form, code, http, message) => {
    const before = await users();
    expect(await create(form)).toMatchObject({ http: 200, status: 'failure', code, message });
    expect(await create(form, undefined, 2)).toMatchObject({ http, code: http, message });
    expect(await users()).toEqual(before);
  });

  it.each<[Record<string, string | string[]>, number, string]>([
    [{ userid: 'x1y', password: 'p' }, 106, 'no group specified (required for subadmins)'],
    [{ userid: 'x1y', password: 'p', groups: ['guests'] }, 105, 'insufficient privileges for group guests'],
    [
      { userid: 'x1y', password: 'p', groups: ['staff', 'admin'] },
      105,
      'insufficient privileges for group admin',
    ],
  ])('of a subadmin: %j is refused with %i', async (form, code, message) => {
    expect(await create(form, 'sonia')).toMatchObject({ code, message });
  });

  it('a user that a subadmin creates is in the subadmin’s group', async () => {
    expect(await create({ userid: 'nadia', password: 'p', groups: ['staff'] }, 'sonia')).toMatchObject({
      code: 100,
    });
    expect(await users('', 'sonia')).toEqual(['brian', 'nadia']);
    expect(await client.ocs('DELETE', '/cloud/users/nadia', { as: 'sonia' })).toMatchObject({ code: 100 });
  });

  it('cannot be made by other users', async () => {
    expect(await create({ userid: 'x1y', password: 'p' }, 'alice')).toMatchObject(UNAUTHORISED);
    expect(await create({ userid: 'x1y', password: 'p' }, '')).toMatchObject(UNAUTHORISED);
  });
});

describe('a user', () => {
  it('a user is shown to administrators, their subadmins and themselves', async () => {
    const record = {
      quota: { free: -3, used: 0, total: -3, relative: 0, definition: 'default' },
      email: null,
      displayname: 'brian',
      home: 'home::brian',
      two_factor_auth_enabled: 'false',
      last_login: 0,
      creation_time: expect.any(Number),
      language: 'en',
    };
    expect((await show('brian')).data).toEqual({ enabled: 'true', ...record });
    expect((await show('BRIAN', 'sonia')).data).toEqual({ enabled: 'true', ...record });
    const own = (await show('brian', 'brian')).data;
    expect(own).toEqual({ ...record, last_login: expect.any(Number) });
    expect(await show('brian', 'alice')).toMatchObject({ ...UNAUTHORISED, message: null });
    expect(await show('alice', 'sonia')).toMatchObject(UNAUTHORISED);
    expect(await show('brian', '')).toMatchObject(UNAUTHORISED);
  });

  it('an unknown user is 404 for administrators, and forbidden for others', async () => {
    expect(await show('nobody')).toMatchObject(UNKNOWN);
    expect(await show('nobody', 'sonia')).toMatchObject(UNKNOWN);
    expect(await show('nobody', 'alice')).toMatchObject(UNAUTHORISED);
    expect(await client.ocs('GET', '/cloud/users/nobody', { version: 2 })).toMatchObject({
      http: 404,
      code: 404,
    });
  });

  it('a user changes their name, e-mail address and password, but never their quota', async () => {
    expect(await edit('carol', 'display', 'Carol C.', 'carol')).toMatchObject({ code: 100, data: [] });
    expect(await edit('carol', 'email', 'carol@example.org', 'carol')).toMatchObject({ code: 100 });
    expect(await edit('carol', 'quota', '5 GB', 'carol')).toMatchObject(UNAUTHORISED);
    expect(await edit('carol', 'password', 'another', 'carol')).toMatchObject({ code: 100 });
    expect(await client.ocs('GET', '/cloud/user', { as: 'carol' })).toMatchObject(UNAUTHORISED);
    expect((await client.ocs('GET', '/cloud/user', { as: 'carol', password: 'another' })).data).toEqual({
      id: 'carol',
      'display-name': 'Carol C.',
      email: 'carol@example.org',
      language: 'en',
    });
    await edit('carol', 'password', PASSWORD);
    expect(await edit('carol', 'display', 'x', 'brian')).toMatchObject(UNAUTHORISED);
  });

  it.each([
    ['display', 'Alice A.', 100, { displayname: 'Alice A.' }],
    ['displayname', 'x'.repeat(257), 400, { displayname: 'Alice A.' }],
    ['displayname', 'two\nlines', 400, { displayname: 'Alice A.' }],
    ['displayname', '', 100, { displayname: 'alice' }],
    ['email', 'alice@example.org', 100, { email: 'alice@example.org' }],
    ['email', 'nonsense', 102, { email: 'alice@example.org' }],
    ['email', '', 100, { email: null }],
    [
      'quota',
      '5 GB',
      100,
      { quota: { free: 5 * 1024 ** 3, used: 0, total: 5 * 1024 ** 3, relative: 0, definition: '5 GB' } },
    ],
    ['quota', '0', 100, { quota: { free: 0, used: 0, total: 0, relative: 100, definition: '0 B' } }],
    ['quota', '-5 GB', 103, { quota: expect.objectContaining({ total: 0 }) }],
    ['quota', '1e99', 103, { quota: expect.objectContaining({ total: 0 }) }],
    ['quota', 'none', 100, { quota: expect.objectContaining({ definition: 'default' }) }],
    ['password', ' ', 403, {}],
    ['language', 'de', 997, { language: 'en' }],
    ['__proto__', 'x', 997, {}],
    ['', '', 997, {}],
  ])('is edited by an administrator: %j to %j answers %i', async (key, value, code, then) => {
    expect(await edit('alice', key, value)).toMatchObject({ code });
    expect((await show('alice')).data).toMatchObject(then);
  });

  it('an unknown user cannot be edited', async () => {
    expect(await edit('nobody', 'display', 'x')).toMatchObject(UNAUTHORISED);
    expect(await edit('nobody', 'display', 'x', 'alice')).toMatchObject(UNAUTHORISED);
  });
});

describe('a setting keeps users from changing their own', () => {
  const set = (key: string, value: string): Promise<EdgeEnvelope> =>
    client.ocs('POST', `/apps/provisioning_api/api/v1/config/apps/system/${key}`, { form: { value } });

  it.each([
    ['display name', 'allow_user_to_change_display_name', 'displayname', 'Alice A.'],
    ['mail address', 'allow_user_to_change_mail_address', 'email', 'alice@example.org'],
  ])('%s, and administrators may still', async (_what, setting, key, value) => {
    await set(setting, 'no');
    expect(await edit('alice', key, value, 'alice')).toMatchObject(UNAUTHORISED);
    expect((await show('alice')).data).not.toMatchObject({ [key]: value });
    expect(await edit('alice', key, value)).toMatchObject({ http: 200 });
    await set(setting, 'yes');
    expect(await edit('alice', key, `x${value}`, 'alice')).toMatchObject({ http: 200 });
    expect((await show('alice')).data).toMatchObject({ [key]: `x${value}` });
  });
});

describe('a group administrator', () => {
  const staff = { form: { groupid: 'staff' } };
  beforeAll(async () => {
    for (const uid of ['carol', 'sonia']) await client.ocs('POST', `/cloud/users/${uid}/groups`, staff);
    await client.ocs('POST', '/cloud/users/carol/subadmins', staff);
  });
  afterAll(async () => {
    for (const uid of ['carol', 'sonia']) await client.ocs('DELETE', `/cloud/users/${uid}/groups`, staff);
    await client.ocs('DELETE', '/cloud/users/carol/subadmins', staff);
  });

  it('changes quota and password of a member of the group', async () => {
    expect(await edit('brian', 'quota', '7 GB', 'sonia')).toMatchObject({ code: 100 });
    expect(await edit('brian', 'password', PASSWORD, 'sonia')).toMatchObject({ code: 100 });
    expect((await show('brian')).data).toMatchObject({ quota: { definition: '7 GB' } });
    expect(await edit('brian', 'quota', 'none', 'sonia')).toMatchObject({ code: 100 });
  });

  it('changes their own name and password, but not their own quota', async () => {
    expect(await edit('sonia', 'display', 'Sonia S.', 'sonia')).toMatchObject({ code: 100 });
    expect(await edit('sonia', 'password', PASSWORD, 'sonia')).toMatchObject({ code: 100 });
    expect(await edit('sonia', 'quota', '900 GB', 'sonia')).toMatchObject(UNAUTHORISED);
    expect((await show('sonia')).data).toMatchObject({ quota: { definition: 'default' } });
  });

  it('sees another administrator of the group, but changes nothing there', async () => {
    expect((await show('carol', 'sonia')).data).toMatchObject({ enabled: 'true' });
    for (const [key, value] of [
      ['password', 'taken-over'],
      ['display', 'Taken Over'],
      ['email', 'sonia@example.org'],
      ['quota', '1 GB'],
    ] as const)
      expect(await edit('carol', key, value, 'sonia')).toMatchObject(UNAUTHORISED);
    for (const [method, suffix] of [
      ['PUT', '/disable'],
      ['DELETE', ''],
    ] as const)
      expect(await client.ocs(method, `/cloud/users/carol${suffix}`, { as: 'sonia' })).toMatchObject(
        UNAUTHORISED,
      );
    expect(await client.ocs('GET', '/cloud/user', { as: 'carol' })).toMatchObject({ code: 100 });
  });
});

describe('a disabled user', () => {
  it.each(['admin', 'sonia'])('a user disabled by %s cannot sign in until they are enabled', async (by) => {
    const me = (): Promise<EdgeEnvelope> => client.ocs('GET', '/cloud/user', { as: 'brian' });
    expect(await me()).toMatchObject({ code: 100 });
    expect(await client.ocs('PUT', '/cloud/users/BRIAN/disable', { as: by })).toMatchObject({
      code: 100,
      data: [],
    });
    expect(await me()).toMatchObject({ ...UNAUTHORISED, message: 'User disabled' });
    expect((await show('brian')).data).toMatchObject({ enabled: 'false' });
    expect(await client.ocs('PUT', '/cloud/users/brian/enable', { as: by })).toMatchObject({ code: 100 });
    expect(await me()).toMatchObject({ code: 100 });
  });
});

describe.each([
  ['PUT', '/disable'],
  ['PUT', '/enable'],
  ['DELETE', ''],
])('%s /cloud/users/{uid}%s', (method, suffix) => {
  const on = (uid: string, as?: string): Promise<EdgeEnvelope> =>
    client.ocs(method, `/cloud/users/${uid}${suffix}`, { as });

  it('is refused for the caller, for unknown users, and for users of other groups', async () => {
    expect(await on('nobody')).toMatchObject({ code: 101 });
    expect(await on('admin')).toMatchObject({ code: 101 });
    expect(await on('ADMIN')).toMatchObject({ code: 101 });
    expect(await on('sonia', 'sonia')).toMatchObject({ code: 101 });
    expect(await on('alice', 'sonia')).toMatchObject(UNAUTHORISED);
    expect(await on('admin', 'sonia')).toMatchObject(UNAUTHORISED);
    expect(await on('brian', 'alice')).toMatchObject(UNAUTHORISED);
    expect(await on('alice', 'alice')).toMatchObject(UNAUTHORISED);
    expect(await on('brian', '')).toMatchObject(UNAUTHORISED);
    expect(await users()).toEqual(['admin', 'alice', 'brian', 'carol', 'sonia']);
    expect((await show('brian')).data).toMatchObject({ enabled: 'true' });
  });
});

describe('apps', () => {
  it('are the built-in ones, and cannot be removed', async () => {
    const apps = ['dav', 'files', 'files_sharing', 'provisioning_api'];
    const list = async (query: string): Promise<unknown> =>
      (await client.ocs('GET', '/cloud/apps', { query })).data;
    expect(await list('')).toEqual({ apps });
    expect(await list('filter=enabled')).toEqual({ apps });
    expect(await list('filter=disabled')).toEqual({ apps: [] });
    expect((await client.ocs('GET', '/cloud/apps/files')).data).toMatchObject({
      id: 'files',
      enabled: 'true',
    });
    expect(await client.ocs('POST', '/cloud/apps/files')).toMatchObject({ code: 100 });
    expect(await client.ocs('DELETE', '/cloud/apps/files')).toMatchObject({ code: 101 });
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(await client.ocs(method, '/cloud/apps/nonsense')).toMatchObject({ code: 998 });
    expect(await client.ocs('GET', '/cloud/apps', { as: 'sonia' })).toMatchObject(UNAUTHORISED);
  });
});
