import { SharingGateway } from './sharing-gateway';

interface Step {
  readonly id: number;
  readonly at: number;
  readonly event: string;
  readonly actor: string | null;
  readonly share: string;
  readonly share_with: string | null;
  readonly name: string | null;
}

let people: SharingGateway;

beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob', 'carol');
  await people.store('alice', '/plan.txt', '/note.txt');
});
afterAll(() => people?.stop());

async function activityOf(uid: string, before = ''): Promise<Step[]> {
  const route = `/apps/files_sharing/api/v1/share_timelines${before && `?before=${before}`}`;
  return (await people.ocs('GET', route, uid)).data as Step[];
}

const told = (steps: readonly Step[]): unknown[] =>
  steps.map(({ event, actor, share_with, name }) => [event, actor, share_with, name]);

describe('the activity on a user’s shares', () => {
  it('has the steps of all their shares, the latest first, also of ended ones', async () => {
    const plan = await people.shareId('alice', { path: '/plan.txt', shareWith: 'bob', permissions: '17' });
    const note = await people.shareId('alice', { path: '/note.txt', shareWith: 'carol' });
    await people.shares('PUT', `/${plan}`, 'alice', { permissions: '1' });
    await people.shares('DELETE', `/${note}`, 'alice');
    expect(told(await activityOf('alice'))).toEqual([
      ['ended', 'alice', 'carol', 'note.txt'],
      ['changed', 'alice', 'bob', 'plan.txt'],
      ['created', 'alice', 'carol', 'note.txt'],
      ['created', 'alice', 'bob', 'plan.txt'],
    ]);
  });

  it('has other users’ shares of their files, and no other shares', async () => {
    expect(await activityOf('carol')).toEqual([]);
    await people.store('bob', '/own.txt');
    await people.shareId('bob', { path: '/own.txt', shareWith: 'carol' });
    expect(told(await activityOf('bob'))).toEqual([['created', 'bob', 'carol', 'own.txt']]);
    const [last] = await activityOf('alice');
    expect(last).toMatchObject({ event: 'ended', name: 'note.txt' });
    const shared = await people.shareId('alice', { path: '/note.txt', shareWith: 'bob' });
    await people.shareId('bob', { path: '/note.txt', shareWith: 'carol' });
    expect(told(await activityOf('alice')).slice(0, 2)).toEqual([
      ['created', 'bob', 'carol', 'note.txt'],
      ['created', 'alice', 'bob', 'note.txt'],
    ]);
    expect((await activityOf('alice'))[1]).toMatchObject({ share: shared });
  });

  it('is read page by page', async () => {
    const all = await activityOf('alice');
    expect(await activityOf('alice', String(all[1]!.id))).toEqual(all.slice(2));
    expect(await activityOf('alice', '1')).toEqual([]);
    const refused = await people.ocs('GET', '/apps/files_sharing/api/v1/share_timelines?before=x', 'alice');
    expect(refused.code).toBe(400);
  });

  it('names nothing that its initiator cannot see any more', async () => {
    await people.store('alice', '/open/', '/open/first.txt', '/open/second.txt');
    const received = await people.shareId('alice', { path: '/open', shareWith: 'bob' });
    const shared = await people.shareId('bob', { path: '/open/first.txt', shareWith: 'carol' });
    const nameSeenBy = async (uid: string) =>
      (await activityOf(uid)).find(({ event, share }) => event === 'created' && share === shared)?.name;
    await people.move('alice', '/open/first.txt', '/open/renamed.txt');
    expect(await nameSeenBy('bob')).toBe('renamed.txt');
    await people.shares('PUT', `/${received}`, 'alice', { permissions: '4' });
    await people.move('alice', '/open/renamed.txt', '/open/secret.txt');
    expect([await nameSeenBy('bob'), await nameSeenBy('alice')]).toEqual([null, 'secret.txt']);
    await people.shares('DELETE', `/${received}`, 'alice');
    expect(await nameSeenBy('bob')).toBeNull();
  });

  it('is not that of an earlier account with the same user id', async () => {
    await people.addUsers('dave');
    await people.store('alice', '/for-dave.txt');
    await people.shareId('alice', { path: '/for-dave.txt', shareWith: 'dave' });
    const shared = await people.shareId('dave', { path: '/for-dave.txt', shareWith: 'carol' });
    const timeline = () => people.ocs('GET', `/apps/files_sharing/api/v1/share_timelines/${shared}`, 'dave');
    expect([(await activityOf('dave')).length, (await timeline()).code]).toEqual([1, 200]);
    await people.removeUser('dave');
    await people.addUsers('dave');
    expect(await activityOf('dave')).toEqual([]);
    expect((await timeline()).code).toBe(404);
    await people.store('dave', '/own.txt');
    const own = await people.shareId('dave', { path: '/own.txt', shareWith: 'carol' });
    await people.shares('DELETE', `/${own}`, 'dave');
    expect((await activityOf('dave')).map(({ event, share }) => [event, share])).toEqual([
      ['ended', own],
      ['created', own],
    ]);
  });
});
