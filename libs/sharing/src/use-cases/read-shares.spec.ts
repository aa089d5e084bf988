import { listCommand, outcomeOf, SharingScene } from '../../../testing/src/fakes/in-memory-sharing-calls';
import { cursorOf, parsePage } from '../domain/share-page';
import { acceptShare, declineShare } from './decide-share';
import { listShares, readShare, type ListSharesCommand } from './read-shares';

const USER = { path: '/docs', shareType: 0, shareWith: 'bob' };
const GROUP = { path: '/docs', shareType: 1, shareWith: 'team' };
const LINK = { path: '/docs', shareType: 3 };

function newScene(): SharingScene {
  const scene = new SharingScene();
  scene.world.addUsers('alice', 'bob', 'carol', 'dave');
  scene.world.addGroup('team', 'bob', 'dave');
  scene.world.add('alice', '/docs/');
  scene.world.add('alice', '/docs/a.txt');
  scene.world.add('alice', '/docs/sub/');
  scene.world.add('alice', '/docs/sub/deep.txt');
  return scene;
}

const read = (scene: SharingScene, id: number, uid: string) =>
  readShare(scene.ports, scene.world.caller(uid), id);
const list = async (scene: SharingScene, uid: string, given: Partial<ListSharesCommand> = {}) =>
  (await listShares(scene.ports, scene.world.caller(uid), listCommand(given))).views;
const idsOf = async (...call: Parameters<typeof list>) => (await list(...call)).map((view) => view.share.id);

describe('reading one share', () => {
  it('is refused if the API is off, before other checks', async () => {
    const scene = newScene();
    scene.set('core/shareapi_enabled', 'no');
    expect(await outcomeOf(read(scene, 0, 'alice'))).toBe('api-disabled');
  });

  it.each([
    ['alice', 'done'],
    ['bob', 'done'],
    ['dave', 'share-unknown'],
    ['carol', 'share-unknown'],
  ] as const)('with bob: %s gets %s', async (uid, outcome) => {
    const scene = newScene();
    const id = await scene.share('alice', USER);
    expect(await outcomeOf(read(scene, id, uid))).toBe(outcome);
  });

  it.each([
    ['alice', 'done'],
    ['bob', 'done'],
    ['dave', 'done'],
    ['carol', 'share-unknown'],
  ] as const)('with a group: %s gets %s', async (uid, outcome) => {
    const scene = newScene();
    const id = await scene.share('alice', GROUP);
    expect(await outcomeOf(read(scene, id, uid))).toBe(outcome);
  });

  it('a link is shown to its owner and its initiator', async () => {
    const scene = newScene();
    await scene.share('alice', USER);
    const id = await scene.share('bob', { ...LINK, permissions: 1 });
    const outcomes = ['alice', 'bob', 'carol'].map((uid) => outcomeOf(read(scene, id, uid)));
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'share-unknown']);
  });

  it('is not possible for its recipient before they accept or after they decline', async () => {
    const scene = newScene();
    scene.set('core/shareapi_auto_accept_share', 'no');
    const id = await scene.share('alice', USER);
    expect(await outcomeOf(read(scene, id, 'bob'))).toBe('share-unknown');
    await acceptShare(scene.ports, scene.world.caller('bob'), id);
    expect(await outcomeOf(read(scene, id, 'bob'))).toBe('done');
    await declineShare(scene.ports, scene.world.caller('bob'), id);
    expect(await outcomeOf(read(scene, id, 'bob'))).toBe('share-unknown');
  });

  it('shows each viewer the path in their own tree, and no state', async () => {
    const scene = newScene();
    const id = await scene.share('alice', USER);
    scene.tree.move('bob', '/docs', '/theirs');
    expect(await read(scene, id, 'alice')).toMatchObject({
      path: '/docs',
      fileTarget: '/theirs',
      mountTarget: null,
    });
    const received = await read(scene, id, 'bob');
    expect(received).toMatchObject({ path: '/theirs', fileTarget: '/theirs', mountTarget: '/theirs' });
    expect(received.state).toBeUndefined();
  });

  it('fails after the end of its day, its node or its recipient', async () => {
    const scene = newScene();
    const day = await scene.share('alice', { ...USER, expireDate: '2030-05-15' });
    const file = await scene.share('alice', { ...USER, path: '/docs/a.txt' });
    const person = await scene.share('alice', { ...USER, shareWith: 'dave' });
    scene.world.now = new Date('2030-05-16T00:00:00Z');
    scene.tree.remove('alice', '/docs/a.txt');
    scene.world.removeUser('dave');
    for (const id of [day, file, person])
      expect(await outcomeOf(read(scene, id, 'alice'))).toBe('share-unknown');
  });
});

describe('the list of own shares', () => {
  it('is empty without a refusal if the API is off', async () => {
    const scene = newScene();
    await scene.share('alice', USER);
    scene.set('core/shareapi_enabled', 'no');
    expect(await list(scene, 'alice', { path: '/nothing', subfiles: true })).toEqual([]);
  });

  it('refuses a missing path before it checks for a folder', async () => {
    const scene = newScene();
    const ask = (given: Partial<ListSharesCommand>) => outcomeOf(list(scene, 'alice', given));
    expect(await ask({ path: '/nothing', subfiles: true })).toBe('path-wrong');
    expect(await ask({ path: '/../docs' })).toBe('path-wrong');
    expect(await ask({ path: '/docs/a.txt', subfiles: true })).toBe('not-a-folder');
    expect(await ask({ subfiles: true })).toBe('not-a-folder');
    expect(await ask({ subfiles: true, path: '' })).toBe('not-a-folder');
    expect(await ask({ sharedWithMe: true, subfiles: true })).toBe('done');
  });

  it('has the requested types in order, or none for an unknown type', async () => {
    const scene = newScene();
    const [link, group, user] = [
      await scene.share('alice', LINK),
      await scene.share('alice', GROUP),
      await scene.share('alice', USER),
    ];
    expect(await idsOf(scene, 'alice')).toEqual([user, group, link]);
    expect(await idsOf(scene, 'alice', { shareTypes: [3, 77] })).toEqual([link]);
    expect(await idsOf(scene, 'alice', { shareTypes: [77] })).toEqual([]);
  });

  it('has shares of a node or of a folder’s children, but not of deeper nodes', async () => {
    const scene = newScene();
    const ids: number[] = [];
    for (const path of ['/docs', '/docs/a.txt', '/docs/sub', '/docs/sub/deep.txt'])
      ids.push(await scene.share('alice', { ...USER, path }));
    expect(await idsOf(scene, 'alice', { path: '/docs' })).toEqual([ids[0]]);
    expect(await idsOf(scene, 'alice', { path: '/docs', subfiles: true })).toEqual([ids[1], ids[2]]);
    expect(await idsOf(scene, 'alice', { path: '/', subfiles: true })).toEqual([ids[0]]);
    expect(await idsOf(scene, 'bob', { path: '/docs' })).toEqual([]);
  });

  it('has other people’s shares only on request, and never the caller’s own share of them twice', async () => {
    const scene = newScene();
    const mine = await scene.share('alice', USER);
    const passedOn = await scene.share('bob', { ...USER, shareWith: 'carol' });
    expect(await idsOf(scene, 'alice')).toEqual([mine]);
    expect(await idsOf(scene, 'alice', { reshares: true })).toEqual([mine, passedOn]);
    expect(await idsOf(scene, 'bob', { reshares: true })).toEqual([passedOn]);
  });

  it('leaves out shares that their creator cannot reach any more', async () => {
    const scene = newScene();
    const through = await scene.share('alice', USER);
    await scene.share('bob', { ...USER, shareWith: 'carol' });
    await declineShare(scene.ports, scene.world.caller('bob'), through);
    expect(await list(scene, 'bob')).toEqual([]);
    expect(await list(scene, 'alice', { reshares: true })).toHaveLength(2);
  });
});

describe('the list of received shares', () => {
  it.each([
    [undefined, [0]],
    ['', [0]],
    ['0', [0]],
    ['1', [1]],
    ['2', [2]],
    ['all', [0, 1, 2]],
    ['pending', [1]],
    ['declined', [2]],
    ['rejected', [2]],
    ['accepted', [0]],
    ['anything', [0]],
  ] as const)('with state %j has the shares with the states %j', async (state, numbers) => {
    const scene = newScene();
    const accepted = await scene.share('alice', USER);
    const declined = await scene.share('alice', { ...USER, path: '/docs/sub' });
    await declineShare(scene.ports, scene.world.caller('bob'), declined);
    scene.set('core/shareapi_auto_accept_share', 'no');
    const pending = await scene.share('alice', { ...USER, path: '/docs/a.txt' });
    const ids = [accepted, pending, declined];
    const wanted = numbers.map((number) => ids[number]).sort();
    expect((await idsOf(scene, 'bob', { sharedWithMe: true, state })).sort()).toEqual(wanted);
  });

  it('never has links, nor nodes that the user owns', async () => {
    const scene = newScene();
    scene.world.join('team', 'alice');
    await scene.share('alice', GROUP);
    await scene.share('alice', LINK);
    expect(await list(scene, 'alice', { sharedWithMe: true, state: 'all' })).toEqual([]);
  });

  it('shows the future place of a share without one', async () => {
    const scene = newScene();
    scene.set('core/shareapi_auto_accept_share', 'no');
    await scene.share('alice', USER);
    const [view] = await list(scene, 'bob', { sharedWithMe: true, state: '1' });
    expect(view).toMatchObject({ path: '/docs', fileTarget: '/docs', mountTarget: null, state: 'pending' });
  });

  it('has no share permission for recipients who may not share', async () => {
    const scene = newScene();
    await scene.share('alice', USER);
    scene.world.addGroup('excluded', 'bob');
    scene.set('core/shareapi_exclude_groups', 'yes');
    scene.set('core/shareapi_exclude_groups_list', '["excluded"]');
    const [view] = await list(scene, 'bob', { sharedWithMe: true });
    expect(view?.permissions).toBe(15);
  });
});

describe('a list in pages', () => {
  it.each([
    ['own', { sharedWithMe: false }, 'alice'],
    ['received', { sharedWithMe: true, state: 'all' }, 'bob'],
    ['of a folder’s children', { path: '/docs', subfiles: true }, 'alice'],
  ] as const)('%s: together they are the whole list', async (_, given, uid) => {
    const scene = newScene();
    for (const path of ['/docs/sub', '/docs', '/docs/a.txt'])
      for (const kind of [USER, GROUP, LINK]) await scene.share('alice', { ...kind, path });
    const whole = await idsOf(scene, uid, given);
    const paged: number[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 20; pages++) {
      const page = parsePage('2', cursor);
      const { views, next } = await listShares(
        scene.ports,
        scene.world.caller(uid),
        listCommand({ ...given, page }),
      );
      expect(views.length).toBeLessThanOrEqual(2);
      paged.push(...views.map((view) => view.share.id));
      if (!next) break;
      cursor = cursorOf(next);
    }
    expect(paged).toEqual(whole);
    expect(new Set(paged).size).toBe(paged.length);
  });
});
