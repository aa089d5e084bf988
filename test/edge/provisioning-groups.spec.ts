import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, type EdgeEnvelope } from './edge-client';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
  await client.makeUsers('alice', 'brian', 'sonia');
  for (const gid of ['staff', 'guests']) await create(gid);
  await join('brian', 'staff');
  await join('brian', 'guests');
  await addSubadmin('sonia', 'staff');
});
afterAll(() => gateway.stop());

const UNAUTHORISED = { http: 401, code: 997 };

const create = (groupid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('POST', '/cloud/groups', { form: { groupid }, as });
const join = (uid: string, groupid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('POST', `/cloud/users/${uid}/groups`, { form: { groupid }, as });
const leave = (uid: string, groupid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('DELETE', `/cloud/users/${uid}/groups`, { form: { groupid }, as });
const addSubadmin = (uid: string, groupid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('POST', `/cloud/users/${uid}/subadmins`, { form: { groupid }, as });
const removeSubadmin = (uid: string, groupid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('DELETE', `/cloud/users/${uid}/subadmins`, { form: { groupid }, as });
const members = (gid: string, as?: string): Promise<EdgeEnvelope> =>
  client.ocs('GET', `/cloud/groups/${encodeURIComponent(gid)}`, { as });
const list = async (query = '', as?: string): Promise<unknown> =>
  (await client.ocs('GET', '/cloud/groups', { query, as })).data;

describe('a list of groups', () => {
  it('is for administrators, and for subadmins with their groups', async () => {
    expect(await list()).toEqual({ groups: ['admin', 'guests', 'staff'] });
    expect(await list('', 'sonia')).toEqual({ groups: ['staff'] });
    expect(await client.ocs('GET', '/cloud/groups', { as: 'alice' })).toMatchObject(UNAUTHORISED);
    expect(await client.ocs('GET', '/cloud/groups', { as: '' })).toMatchObject(UNAUTHORISED);
  });

  it('is searched and paged', async () => {
    expect(await list('search=ST')).toEqual({ groups: ['guests', 'staff'] });
    expect(await list('search=%25')).toEqual({ groups: [] });
    expect(await list('limit=1&offset=1')).toEqual({ groups: ['guests'] });
  });
});

describe('a group', () => {
  it.each(['Größe & more', 'a/b', '100%', 'a?b#c', "o'hara <b>"])('may be called %j', async (gid) => {
    expect(await create(gid)).toMatchObject({ http: 200, code: 100, message: null, data: [] });
    expect(await create(gid)).toMatchObject({ code: 102 });
    expect(await members(gid)).toMatchObject({ code: 100, data: { users: [] } });
    expect(await client.ocs('DELETE', `/cloud/groups/${encodeURIComponent(gid)}`)).toMatchObject({
      code: 100,
    });
    expect(await members(gid)).toMatchObject({
      code: 998,
      message: 'The requested group could not be found',
    });
  });

  it.each(['', ' staff', 'staff ', 'x'.repeat(65), 'a\nb'])('may not be called %j', async (gid) => {
    expect(await create(gid)).toMatchObject({ code: 101, message: 'Invalid group name' });
    expect(await list()).toEqual({ groups: ['admin', 'guests', 'staff'] });
  });

  it('is made and removed by administrators only, and the group of administrators stays', async () => {
    const remove = (gid: string, as?: string): Promise<EdgeEnvelope> =>
      client.ocs('DELETE', `/cloud/groups/${gid}`, { as });
    for (const as of ['alice', 'sonia', '']) {
      expect(await create('mine', as)).toMatchObject(UNAUTHORISED);
      expect(await remove('staff', as)).toMatchObject(UNAUTHORISED);
    }
    expect(await remove('none')).toMatchObject({ code: 101 });
    expect(await remove('STAFF')).toMatchObject({ code: 101 });
    expect(await remove('admin')).toMatchObject({ code: 102 });
    expect(await list()).toEqual({ groups: ['admin', 'guests', 'staff'] });
  });

  it('shows its members to its administrators', async () => {
    expect((await members('staff')).data).toEqual({ users: ['brian'] });
    expect((await members('staff', 'sonia')).data).toEqual({ users: ['brian'] });
    expect(await members('guests', 'sonia')).toMatchObject({
      ...UNAUTHORISED,
      message: 'User does not have access to specified group',
    });
    expect(await members('none', 'sonia')).toMatchObject({ code: 998 });
    expect(await members('staff', 'brian')).toMatchObject(UNAUTHORISED);
  });
});

describe('a membership', () => {
  it('begins and ends by an administrator', async () => {
    expect(await join('ALICE', 'staff')).toMatchObject({ code: 100, message: null, data: [] });
    expect(await join('alice', 'staff')).toMatchObject({ code: 100 });
    expect((await members('staff')).data).toEqual({ users: ['alice', 'brian'] });
    expect(await leave('alice', 'staff')).toMatchObject({ code: 100 });
    expect((await members('staff')).data).toEqual({ users: ['brian'] });
  });

  it('is refused: no group, no such group, no such user, not an administrator', async () => {
    expect(await join('alice', '')).toMatchObject({ code: 101 });
    expect(await client.ocs('POST', '/cloud/users/alice/groups')).toMatchObject({ code: 101 });
    expect(await join('alice', 'none')).toMatchObject({ code: 102 });
    expect(await join('nobody', 'staff')).toMatchObject({ code: 103 });
    for (const as of ['alice', 'sonia', ''])
      expect(await join('alice', 'staff', as)).toMatchObject(UNAUTHORISED);
  });

  it('is ended by subadmins in their own groups', async () => {
    await join('alice', 'staff');
    expect(await leave('alice', 'staff', 'sonia')).toMatchObject({ code: 100 });
    expect(await leave('brian', 'guests', 'sonia')).toMatchObject({ code: 104 });
    expect(await leave('brian', 'staff', 'brian')).toMatchObject(UNAUTHORISED);
  });

  it('cannot be ended: no group, no such group, no such user, the caller’s own as administrator', async () => {
    expect(await leave('brian', '')).toMatchObject({ code: 101 });
    expect(await leave('brian', 'none')).toMatchObject({ code: 102 });
    expect(await leave('nobody', 'staff')).toMatchObject({ code: 103 });
    expect(await leave('ADMIN', 'admin')).toMatchObject({
      code: 105,
      message: 'Cannot remove yourself from the admin group',
    });
    expect((await members('admin')).data).toEqual({ users: ['admin'] });
  });

  it('may be named in the query of a DELETE', async () => {
    await join('alice', 'guests');
    expect(
      await client.ocs('DELETE', '/cloud/users/alice/groups', { query: 'groupid=guests' }),
    ).toMatchObject({ code: 100 });
    expect((await members('guests')).data).toEqual({ users: ['brian'] });
  });

  it('is listed for administrators, for the user, and for subadmins with their groups', async () => {
    const groupsOf = (uid: string, as?: string): Promise<EdgeEnvelope> =>
      client.ocs('GET', `/cloud/users/${uid}/groups`, { as });
    expect((await groupsOf('brian')).data).toEqual({ groups: ['guests', 'staff'] });
    expect((await groupsOf('BRIAN', 'brian')).data).toEqual({ groups: ['guests', 'staff'] });
    expect((await groupsOf('brian', 'sonia')).data).toEqual({ groups: ['staff'] });
    expect((await groupsOf('sonia', 'sonia')).data).toEqual({ groups: [] });
    expect(await groupsOf('alice', 'sonia')).toMatchObject(UNAUTHORISED);
    expect(await groupsOf('brian', 'alice')).toMatchObject(UNAUTHORISED);
    expect(await groupsOf('nobody')).toMatchObject({ code: 998 });
    expect(await groupsOf('nobody', 'alice')).toMatchObject(UNAUTHORISED);
  });

  it('in the group of administrators gives rights at once', async () => {
    expect(await client.ocs('GET', '/cloud/users', { as: 'alice' })).toMatchObject(UNAUTHORISED);
    await join('alice', 'admin');
    expect(await client.ocs('GET', '/cloud/users', { as: 'alice' })).toMatchObject({ code: 100 });
    await leave('alice', 'admin');
    expect(await client.ocs('GET', '/cloud/users', { as: 'alice' })).toMatchObject(UNAUTHORISED);
  });
});

describe('the subadmins of a group', () => {
  const subadminsOf = (gid: string, as?: string): Promise<EdgeEnvelope> =>
    client.ocs('GET', `/cloud/groups/${gid}/subadmins`, { as });

  it('are listed for administrators only', async () => {
    expect(await subadminsOf('staff')).toMatchObject({ code: 100, data: ['sonia'] });
    expect(await subadminsOf('guests')).toMatchObject({ code: 100, data: [] });
    expect(await subadminsOf('nosuch')).toMatchObject({ code: 101, message: 'Group does not exist' });
    for (const uid of ['sonia', 'alice']) expect(await subadminsOf('staff', uid)).toMatchObject(UNAUTHORISED);
  });
});

describe('a subadmin', () => {
  const subadminOf = (uid: string, as?: string): Promise<EdgeEnvelope> =>
    client.ocs('GET', `/cloud/users/${uid}/subadmins`, { as });

  it('is made and unmade by administrators', async () => {
    expect(await addSubadmin('alice', 'guests')).toMatchObject({ code: 100, data: [] });
    expect(await addSubadmin('alice', 'guests')).toMatchObject({ code: 100 });
    expect((await subadminOf('alice')).data).toEqual(['guests']);
    expect((await subadminOf('ALICE', 'alice')).data).toEqual(['guests']);
    expect(await removeSubadmin('alice', 'guests')).toMatchObject({ code: 100 });
    expect((await subadminOf('alice')).data).toEqual([]);
  });

  it.each<[string, () => Promise<EdgeEnvelope>, object]>([
    ['nobody', () => addSubadmin('nobody', 'staff'), { code: 101, message: 'User does not exist' }],
    ['of no group', () => addSubadmin('alice', 'none'), { code: 102, message: 'Group:none does not exist' }],
    ['of the administrators', () => addSubadmin('alice', 'admin'), { code: 103 }],
    ['by a subadmin', () => addSubadmin('alice', 'staff', 'sonia'), UNAUTHORISED],
    ['by himself', () => addSubadmin('alice', 'staff', 'alice'), UNAUTHORISED],
  ])('is not made: %s', async (_, work, refusal) => {
    expect(await work()).toMatchObject(refusal);
    expect((await subadminOf('alice')).data).toEqual([]);
  });

  it.each<[string, () => Promise<EdgeEnvelope>, object]>([
    ['nobody', () => removeSubadmin('nobody', 'staff'), { code: 101, message: 'User does not exist' }],
    [
      'of another group',
      () => removeSubadmin('sonia', 'guests'),
      { code: 102, message: 'User is not a subadmin of this group' },
    ],
    ['by himself', () => removeSubadmin('sonia', 'staff', 'sonia'), UNAUTHORISED],
  ])('is not unmade: %s', async (_, work, refusal) => {
    expect(await work()).toMatchObject(refusal);
    expect((await subadminOf('sonia')).data).toEqual(['staff']);
  });

  it('is looked up by administrators and by themselves', async () => {
    expect(await subadminOf('nobody')).toMatchObject({ code: 998 });
    expect(await subadminOf('sonia', 'alice')).toMatchObject(UNAUTHORISED);
    expect(await subadminOf('nobody', 'sonia')).toMatchObject(UNAUTHORISED);
  });
});
