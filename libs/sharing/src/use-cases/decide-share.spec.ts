import {
  listCommand,
  outcomeOf,
  usualScene,
  type SharingScene,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import type { ShareState } from '../domain/state';
import { acceptShare, declineShare } from './decide-share';
import { deleteShare } from './delete-share';
import { listShares, readShare } from './read-shares';

const USER = { path: '/docs', shareType: 0, shareWith: 'bob' };
const GROUP = { path: '/docs', shareType: 1, shareWith: 'team' };

const accept = (scene: SharingScene, id: number, uid = 'bob') =>
  acceptShare(scene.ports, scene.world.caller(uid), id);
const decline = (scene: SharingScene, id: number, uid = 'bob') =>
  declineShare(scene.ports, scene.world.caller(uid), id);

async function statesOf(scene: SharingScene, uid = 'bob'): Promise<(ShareState | undefined)[]> {
  const command = listCommand({ sharedWithMe: true, state: 'all' });
  const { views } = await listShares(scene.ports, scene.world.caller(uid), command);
  return views.map((view) => view.state);
}

async function pendingShare(scene: SharingScene, given: object): Promise<number> {
  scene.set('core/shareapi_auto_accept_share', 'no');
  return scene.share('alice', given);
}

describe.each(['documented', 'owncloud10'] as const)('deciding in %s mode', (mode) => {
  it.each([
    ['api-disabled', (scene: SharingScene) => scene.set('core/shareapi_enabled', 'no'), 'bob', 0],
    ['share-unknown', () => undefined, 'bob', 999_999],
    ['share-unknown', () => undefined, 'carol', 0],
  ] as const)('is refused for %s', async (failure, arrange, uid, otherId) => {
    for (const decide of [accept, decline]) {
      const scene = usualScene(mode);
      const id = await scene.share('alice', USER);
      arrange(scene);
      expect(await outcomeOf(decide(scene, otherId || id, uid))).toBe(failure);
    }
  });

  it('is possible only for the recipient, not for the owner or resharer', async () => {
    const scene = usualScene(mode);
    await scene.share('alice', USER);
    const id = await scene.share('bob', { ...USER, shareWith: 'carol' });
    expect(await outcomeOf(accept(scene, id, 'alice'))).toBe('only-recipient');
    expect(await outcomeOf(accept(scene, id, 'bob'))).toBe('only-recipient');
    expect(await outcomeOf(accept(scene, id, 'carol'))).toBe('done');
  });

  it.each([USER, GROUP])(
    'works in both directions, and a second acceptance changes nothing: %j',
    async (given) => {
      const scene = usualScene(mode);
      const id = await pendingShare(scene, given);
      expect(await statesOf(scene)).toEqual(['pending']);
      expect(await accept(scene, id)).toMatchObject({
        state: 'accepted',
        fileTarget: '/docs',
        path: '/docs',
      });
      expect(await accept(scene, id)).toMatchObject({ state: 'accepted', fileTarget: '/docs' });
      await decline(scene, id);
      expect(await statesOf(scene)).toEqual(['declined']);
      expect(await accept(scene, id)).toMatchObject({ state: 'accepted', fileTarget: '/docs' });
    },
  );

  it('by one member of a group does not affect the others', async () => {
    const scene = usualScene(mode);
    const id = await pendingShare(scene, GROUP);
    await accept(scene, id, 'bob');
    expect([await statesOf(scene, 'bob'), await statesOf(scene, 'dave')]).toEqual([
      ['accepted'],
      ['pending'],
    ]);
  });

  it('applies to the node: all its shares with the user and their groups get the same state', async () => {
    const scene = usualScene(mode);
    const [user] = [await pendingShare(scene, USER), await pendingShare(scene, GROUP)];
    await accept(scene, user);
    expect(await statesOf(scene)).toEqual(['accepted', 'accepted']);
    await decline(scene, user);
    expect(await statesOf(scene)).toEqual(['declined', 'declined']);
    expect(scene.tree.visibleMounts('bob').size).toBe(0);
  });

  it('finds a free name, or the old name if it is free again', async () => {
    const scene = usualScene(mode);
    const id = await pendingShare(scene, USER);
    scene.world.add('bob', '/docs/');
    expect(await accept(scene, id)).toMatchObject({ fileTarget: '/docs (2)' });
    await decline(scene, id);
    scene.tree.remove('bob', '/docs');
    expect(await accept(scene, id)).toMatchObject({ fileTarget: '/docs (2)' });
    expect([...scene.tree.visibleMounts('bob').keys()]).toEqual(['/docs (2)']);
  });

  it('of an expired share is not possible', async () => {
    const scene = usualScene(mode);
    const id = await scene.share('alice', { ...USER, expireDate: '2030-05-15' });
    expect(await outcomeOf(decline(scene, id))).toBe('done');
    scene.world.now = new Date('2030-05-16T00:00:00Z');
    expect(await outcomeOf(accept(scene, id))).toBe('share-unknown');
  });
});

describe('declining', () => {
  it('answers with the record, also when repeated, in owncloud10 mode', async () => {
    const scene = usualScene('owncloud10');
    const id = await scene.share('alice', USER);
    for (let time = 1; time <= 2; time++)
      expect(await decline(scene, id)).toMatchObject({ state: 'declined' });
    expect(await outcomeOf(decline(scene, id, 'alice'))).toBe('only-recipient');
    expect(await statesOf(scene)).toEqual(['declined']);
  });

  it('answers with nothing and fails when repeated in documented mode', async () => {
    const scene = usualScene('documented');
    const id = await scene.share('alice', USER);
    expect(await decline(scene, id)).toBeUndefined();
    expect(await outcomeOf(decline(scene, id))).toBe('already-declined');
    expect(await statesOf(scene)).toEqual(['declined']);
  });

  it('deletes for the owner and the resharer in documented mode', async () => {
    const scene = usualScene('documented');
    await scene.share('alice', USER);
    for (const uid of ['alice', 'bob']) {
      const id = await scene.share('bob', { ...USER, shareWith: 'carol' });
      expect(await decline(scene, id, uid)).toBeUndefined();
      expect(await scene.ports.shares.find(id, 'alice')).toBeUndefined();
    }
  });
});

describe('deleting', () => {
  const remove = (scene: SharingScene, id: number, uid: string) =>
    outcomeOf(deleteShare(scene.ports, scene.world.caller(uid), id));

  it('deletion is allowed to the owner and the initiator of the share', async () => {
    const scene = usualScene('documented');
    await scene.share('alice', USER);
    const made = [];
    for (const uid of ['carol', 'dave']) made.push(await scene.share('bob', { ...USER, shareWith: uid }));
    expect(await remove(scene, made[0]!, 'carol')).toBe('delete-not-allowed');
    expect(await remove(scene, made[0]!, 'dave')).toBe('delete-not-allowed');
    expect(await remove(scene, made[0]!, 'bob')).toBe('done');
    expect(await remove(scene, made[1]!, 'alice')).toBe('done');
    expect(await remove(scene, made[1]!, 'alice')).toBe('share-unknown');
  });

  it('is checked after the switch of the whole API', async () => {
    const scene = usualScene('documented');
    const id = await scene.share('alice', USER);
    scene.set('core/shareapi_enabled', 'no');
    expect(await remove(scene, id, 'alice')).toBe('api-disabled');
    expect(await remove(scene, 0, 'alice')).toBe('api-disabled');
  });

  it('works while group sharing or resharing is off, or if the file cannot be reached', async () => {
    const scene = usualScene('documented');
    const through = await scene.share('alice', USER);
    const passedOn = await scene.share('bob', { ...USER, shareWith: 'carol' });
    const group = await scene.share('alice', GROUP);
    scene.set('core/shareapi_allow_group_sharing', 'no');
    scene.set('core/shareapi_allow_resharing', 'no');
    expect(await remove(scene, group, 'alice')).toBe('done');
    expect(await remove(scene, through, 'alice')).toBe('done');
    expect(await remove(scene, passedOn, 'bob')).toBe('done');
  });

  it('does not affect reshares', async () => {
    const scene = usualScene('documented');
    const through = await scene.share('alice', USER);
    const passedOn = await scene.share('bob', { ...USER, shareWith: 'carol' });
    await remove(scene, through, 'alice');
    const view = await readShare(scene.ports, scene.world.caller('carol'), passedOn);
    expect(view.share).toMatchObject({ initiatorUid: 'bob', node: { ownerUid: 'alice' } });
  });
});
