import { describeShapes, type Difference } from './describe-shapes';
import { without } from './pruning';
import type { ShapeWorld } from './shape-world';

/** Supported kinds of shares: recorded lists are compared without other kinds. */
const SHARE_TYPES = ['0', '1', '3'];

const BUILT_KINDS_ONLY: Difference = {
  because: 'the recorded server had shares of kinds that are not built yet',
  expected: (recorded) =>
    without(recorded, (place) => {
      const type = place.child('share_type');
      return type !== undefined && !SHARE_TYPES.includes(type);
    }),
};

const setAutoAccept = (world: ShapeWorld, value: 'yes' | 'no'): Promise<void> =>
  world.administer('POST', '/apps/provisioning_api/api/v1/config/apps/core/shareapi_auto_accept_share', {
    value,
  });

describeShapes('shares', {
  given: async (world) => {
    const files = ['/hello.txt', '/second.txt', '/third.txt', '/fed.txt', '/docs/'];
    await world.store('alice', [
      ...files,
      '/docs/sub/',
      '/docs/a.txt',
      '/docs/b.txt',
      '/pics/',
      '/p1.txt',
      '/p2.txt',
      '/p3.txt',
    ]);
    await world.store('bob', [...files, '/pics/']);
    await world.administer('POST', '/cloud/groups', { groupid: 'grp1' });
    for (const uid of ['alice', 'bob', 'carol']) await world.addToGroup(uid, 'grp1');
  },
  before: {
    // ownCloud shared the file with Bob when the share type was a word.
    'errors/create.perm0.v1.json': (world) => world.share('16', '/fed.txt', 'bob'),
    // Bob listed the files there, so the received shares were placed.
    'get.user.v1.json': (world) =>
      world.send({ method: 'PROPFIND', target: '/remote.php/webdav/', user: 'bob' }),
    'delete/owner.v1.xml': (world) => world.share('38', '/second.txt', 'dave'),
    'delete/owner.v2.json': (world) => world.share('39', '/second.txt', 'dave'),
    'delete/owner.v2.xml': (world) => world.share('40', '/second.txt', 'dave'),
    'pending/create.p1.v1.json': (world) => setAutoAccept(world, 'no'),
    'pending/list.state-0.v1.json': async (world) => {
      await world.share('42', '/p2.txt', 'bob');
      await world.share('43', '/p3.txt', 'bob');
    },
  },
  differences: (name) => (/(^|\/)(list|shared_with_me|after)/.test(name) ? [BUILT_KINDS_ONLY] : []),
});
