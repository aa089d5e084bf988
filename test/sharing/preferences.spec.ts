import { SharingGateway } from './sharing-gateway';

const AUTO_ACCEPT = '/apps/provisioning_api/api/v1/config/users/files_sharing/auto_accept_share';

let people: SharingGateway;

beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob');
  await people.addGroup('team', 'bob');
});
afterAll(() => people.stop());

const stateOf = async (target: string): Promise<number | undefined> =>
  (await people.received('bob')).find((share) => share.file_target === target)?.state;

describe('a user who wishes to accept shares by hand', () => {
  it('can store the choice, and reset it', async () => {
    expect((await people.ocs('GET', AUTO_ACCEPT, 'bob')).data).toEqual({ data: 'yes' });
    expect((await people.ocs('POST', AUTO_ACCEPT, 'bob', { value: 'no' })).code).toBe(200);
    expect((await people.ocs('GET', AUTO_ACCEPT, 'bob')).data).toEqual({ data: 'no' });
    expect((await people.ocs('GET', AUTO_ACCEPT, 'alice')).data).toEqual({ data: 'yes' });
  });

  it('finds shares with them and their groups pending', async () => {
    await people.ocs('POST', AUTO_ACCEPT, 'bob', { value: 'no' });
    await people.store('alice', '/to-bob/', '/to-the-team/', '/afterwards/');
    await people.share('alice', { path: '/to-bob', shareWith: 'bob' });
    await people.share('alice', { path: '/to-the-team', shareType: '1', shareWith: 'team' });
    expect([await stateOf('/to-bob'), await stateOf('/to-the-team')]).toEqual([1, 1]);
    await people.ocs('DELETE', AUTO_ACCEPT, 'bob');
    await people.share('alice', { path: '/afterwards', shareWith: 'bob' });
    expect(await stateOf('/afterwards')).toBe(0);
  });

  it('cannot set unknown choices and values', async () => {
    const unknown = AUTO_ACCEPT.replace('auto_accept_share', 'nosuch');
    expect((await people.ocs('GET', unknown, 'bob')).code).toBe(404);
    expect((await people.ocs('POST', unknown, 'bob', { value: 'no' })).code).toBe(404);
    expect((await people.ocs('POST', AUTO_ACCEPT, 'bob', { value: 'maybe' })).code).toBe(400);
  });
});
