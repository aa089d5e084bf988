import { eventually } from '../../libs/testing/src';
import { SharingGateway } from './sharing-gateway';

const NOTIFICATIONS = '/apps/notifications/api/v1/notifications';

let people: SharingGateway;
let reshare: string;
let link: string;

beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob', 'carol');
  await people.store('alice', '/plans/', '/plans/sub/');
  const received = await people.shareId('alice', { path: '/plans', shareWith: 'bob' });
  await people.entries('bob');
  reshare = await people.shareId('bob', { path: '/plans/sub', shareWith: 'carol', permissions: '15' });
  link = await people.shareId('bob', { path: '/plans/sub', shareType: '3' });
  expect((await people.shares('DELETE', `/${received}`, 'alice')).code).toBe(200);
});
afterAll(() => people.stop());

const ids = async (uid: string, query: string): Promise<string[]> =>
  (await people.list(uid, query)).map(({ id }) => String(id));

describe('a reshare whose initiator lost access', () => {
  it('stays for its recipient', async () => {
    const [share] = await people.received('carol');
    expect(share).toMatchObject({ id: reshare, uid_owner: 'bob', uid_file_owner: 'alice', permissions: 15 });
    expect(await people.entries('carol')).toEqual(['/sub']);
  });

  it('is listed for the owner with reshares=true, also among subfiles', async () => {
    expect(await ids('alice', 'reshares=true')).toEqual([reshare, link]);
    expect(await ids('alice', 'path=/plans&subfiles=true&reshares=true')).toEqual([reshare, link]);
    expect(await ids('alice', 'path=/plans/sub&reshares=true')).toEqual([reshare, link]);
    expect((await people.shares('GET', `/${reshare}`, 'alice')).data).toMatchObject([{ uid_owner: 'bob' }]);
  });

  it('is no longer shown to its initiator, who cannot change it', async () => {
    expect(await ids('bob', 'reshares=true')).toEqual([]);
    expect((await people.shares('GET', `/${reshare}`, 'bob')).code).toBe(404);
    expect((await people.shares('PUT', `/${reshare}`, 'bob', { permissions: '1' })).code).toBe(404);
  });

  it('causes a notification of the owner', async () => {
    await eventually('the events of shares to be handled', async () => {
      return (await people.query('SELECT id FROM share_event')).length === 0;
    });
    const { data } = await people.ocs('GET', NOTIFICATIONS, 'alice');
    expect(data).toMatchObject([
      { object_type: 'reshare', subject: 'bob lost access to "sub", but still shares it by a public link' },
      { object_type: 'reshare', subject: 'bob lost access to "sub", but still shares it with carol' },
    ]);
  });

  it('is changed and ended by the owner, or ended by its initiator', async () => {
    expect((await people.shares('PUT', `/${reshare}`, 'alice', { permissions: '1' })).code).toBe(200);
    expect((await people.received('carol'))[0]).toMatchObject({ permissions: 1, uid_owner: 'bob' });
    expect((await people.shares('DELETE', `/${reshare}`, 'alice')).code).toBe(200);
    expect((await people.shares('DELETE', `/${link}`, 'bob')).code).toBe(200);
    expect((await people.ocs('GET', NOTIFICATIONS, 'alice')).data).toEqual([]);
    expect(await people.entries('carol')).toEqual([]);
  });
});

it('does not keep the access of its initiator, who is in the group and accepts the received share again', async () => {
  await people.addUsers('dora');
  await people.addGroup('circle', 'bob', 'dora');
  await people.store('alice', '/lent/');
  const received = await people.shareId('alice', { path: '/lent', shareWith: 'bob', permissions: '31' });
  await people.entries('bob');
  const own = await people.shareId('bob', { path: '/lent', shareType: '1', shareWith: 'circle' });
  const states = async () =>
    (await people.list('bob', 'shared_with_me=true&state=all')).map(({ id, state }) => [id, state]);
  expect(await states()).toEqual([
    [received, 0],
    [own, 2],
  ]);
  for (const method of ['DELETE', 'POST'])
    expect((await people.shares(method, `/pending/${received}`, 'bob')).code).toBe(200);
  expect(await states()).toEqual([
    [received, 0],
    [own, 2],
  ]);
  expect((await people.shares('PUT', `/${received}`, 'alice', { permissions: '1' })).code).toBe(200);
  expect(await people.dav('PUT', 'bob', '/lent/note.txt', {}, 'x')).toBe(403);
  expect((await people.shares('DELETE', `/${received}`, 'alice')).code).toBe(200);
  expect(await people.entries('bob')).toEqual([]);
  expect(await people.entries('dora')).toEqual(['/lent']);
});
