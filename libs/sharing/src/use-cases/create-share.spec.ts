import {
  createCommand,
  outcomeOf,
  usualScene,
  type SharingScene,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import { SHARE_TYPES } from '../domain/share';
import { createShare } from './create-share';
import type { CreateShareCommand } from '../kinds/create-share-command';

type Given = Partial<CreateShareCommand>;

const DOWNLOAD_OFF = { scope: 'permissions', key: 'download', enabled: false };

const set =
  (...settings: readonly (readonly [string, string])[]) =>
  (scene: SharingScene): void =>
    settings.forEach(([name, value]) => scene.set(`core/shareapi_${name}`, value));

const create = (scene: SharingScene, given: Given, uid = 'alice') =>
  createShare(scene.ports, scene.world.caller(uid), createCommand({ path: '/docs', ...given }));

describe('the record of a new share', () => {
  it.each([
    ['/docs', undefined, 31],
    ['/docs', 1, 1],
    ['/docs', 17, 17],
    ['/a.txt', undefined, 19],
    ['/a.txt', 31, 19],
    ['/a.txt', 15, 3],
    ['/a.txt', 29, 17],
    ['/a.txt', 2, 2],
  ])('%s with permissions %s has %i', async (path, permissions, stored) => {
    const { share } = await create(usualScene(), { path, permissions, shareType: 0, shareWith: 'bob' });
    expect(share.permissions).toBe(stored);
  });

  it.each([4, 8, 12])(
    'a file with permissions %i only is refused, because none would remain',
    async (permissions) => {
      const call = create(usualScene(), { path: '/a.txt', permissions, shareType: 0, shareWith: 'bob' });
      expect(await outcomeOf(call)).toBe('permissions-none');
    },
  );

  it.each([-1, 32, 64, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'permissions %d are refused',
    async (permissions) => {
      const call = create(usualScene(), { permissions, shareType: 0, shareWith: 'bob' });
      expect(await outcomeOf(call)).toBe('permissions-invalid');
    },
  );

  it('finds the user regardless of case, but the group only as written', async () => {
    const { share } = await create(usualScene(), { shareType: 0, shareWith: 'BOB' });
    expect(share).toMatchObject({ recipientUid: 'bob' });
    expect(await outcomeOf(create(usualScene(), { shareType: 1, shareWith: 'Team' }))).toBe('group-unknown');
  });

  it.each([
    ['without attributes, the default', undefined, 31],
    ['older attributes that hold some', [{ scope: 'ownCloud', key: 'read', enabled: true }], 1],
  ] as const)('permissions: %s', async (_, attributes, stored) => {
    const { share } = await create(usualScene(), { shareType: 0, shareWith: 'bob', attributes });
    expect(share.permissions).toBe(stored);
  });

  it('attributes without enabled permissions are refused', async () => {
    const call = create(usualScene(), { shareType: 0, shareWith: 'bob', attributes: [DOWNLOAD_OFF] });
    expect(await outcomeOf(call)).toBe('permissions-none');
  });

  it.each([2, 4, 5, 7, -1, 99])('type %i is refused', async (shareType) => {
    expect(await outcomeOf(create(usualScene(), { shareType, shareWith: 'bob' }))).toBe('share-type-unknown');
  });

  it.each(['', '/', '//', '/./'])('the path %j is not a file', async (path) => {
    const refused = path === '' ? 'path-missing' : 'root';
    expect(await outcomeOf(create(usualScene(), { path, shareType: 0, shareWith: 'bob' }))).toBe(refused);
  });

  it.each(['docs', '/docs/', '//docs', './docs'])('the path %j is the folder', async (path) => {
    expect((await create(usualScene(), { path, shareType: 0, shareWith: 'bob' })).path).toBe('/docs');
  });

  it('has a place below the share folder, and the initial state of settings and recipient', async () => {
    const scene = usualScene();
    scene.set('system/share_folder', '/Shares');
    const { share } = await create(scene, { shareType: 0, shareWith: 'bob' });
    expect(share).toMatchObject({ fileTarget: '/Shares/docs', personal: { state: 'accepted' } });
    scene.world.users.get('carol')!.autoAccept = false;
    const second = await create(scene, { shareType: 0, shareWith: 'carol' });
    expect(second.share).toMatchObject({ personal: { state: 'pending' } });
    scene.set('core/shareapi_auto_accept_share', 'no');
    const third = await create(scene, { shareType: 1, shareWith: 'team' });
    expect(third.share).toMatchObject({ initialState: 'pending' });
  });

  it.each([
    ['_user_share', { shareType: 0, shareWith: 'bob' }],
    ['_group_share', { shareType: 1, shareWith: 'team' }],
    ['', { shareType: 3 }],
  ])('an enforced day is set automatically (%s)', async (suffix, given) => {
    const scene = usualScene();
    set([`default_expire_date${suffix}`, 'yes'], [`expire_after_n_days${suffix}`, '3'])(scene);
    expect((await create(scene, given)).share.expiresOn).toBeNull();
    const enforcing = usualScene();
    set([`default_expire_date${suffix}`, 'yes'], [`expire_after_n_days${suffix}`, '3'])(enforcing);
    set([`enforce_expire_date${suffix}`, 'yes'])(enforcing);
    expect((await create(enforcing, given)).share.expiresOn).toBe('2030-05-18');
    const chosen = await create(enforcing, { ...given, path: '/a.txt', expireDate: '2030-05-15' });
    expect(chosen.share.expiresOn).toBe('2030-05-15');
  });
});

describe('a link', () => {
  const LINK = { shareType: SHARE_TYPES.link };

  it.each([
    [undefined, undefined, 1],
    [undefined, 1, 1],
    [undefined, 3, 3],
    [undefined, 4, 4],
    [undefined, 5, 5],
    [undefined, 15, 15],
    [undefined, 7, 1],
    [undefined, 31, 1],
    [undefined, 2, 1],
    [undefined, 16, 1],
    [undefined, 19, 1],
    [undefined, 0, 1],
    [true, undefined, 15],
    [true, 1, 15],
    [false, undefined, 1],
    [false, 4, 4],
  ])(
    'of a folder with publicUpload=%s and permissions=%s has %i',
    async (publicUpload, permissions, stored) => {
      const { share } = await create(usualScene(), { ...LINK, publicUpload, permissions });
      expect(share.permissions).toBe(stored);
    },
  );

  it.each([
    ['owncloud10', 3, 3],
    ['owncloud10', 15, 3],
    ['owncloud10', 5, 1],
    ['owncloud10', undefined, 1],
    ['documented', 3, 1],
    ['documented', 15, 1],
    ['documented', undefined, 1],
  ] as const)('of a file in %s mode with permissions=%s has %i', async (mode, permissions, stored) => {
    const { share } = await create(usualScene(mode), { ...LINK, path: '/a.txt', permissions });
    expect(share.permissions).toBe(stored);
  });

  it.each([
    [1, 'read_only'],
    [5, 'read_write'],
    [4, 'write_only'],
    [15, 'read_write_delete'],
    [3, 'read_write_delete'],
  ])('with permissions %i needs a password if %s demands one, and only then', async (permissions, key) => {
    const scene = usualScene();
    for (const other of ['read_only', 'read_write', 'write_only', 'read_write_delete'])
      if (other !== key) scene.set(`core/shareapi_enforce_links_password_${other}`, 'yes');
    expect(await outcomeOf(create(scene, { ...LINK, permissions }))).toBe('done');
    scene.set(`core/shareapi_enforce_links_password_${key}`, 'yes');
    expect(await outcomeOf(create(scene, { ...LINK, permissions }))).toBe('link-password-enforced');
    expect(await outcomeOf(create(scene, { ...LINK, permissions, password: 'one' }))).toBe('done');
  });

  it('may exist any number of times, each with a different token', async () => {
    const scene = usualScene();
    const links = [await create(scene, LINK), await create(scene, LINK)];
    const [one, two] = links.map(({ share }) => (share.type === SHARE_TYPES.link ? share.shareToken : ''));
    expect(one).not.toBe(two);
    expect(one!.length).toBeGreaterThanOrEqual(22);
  });

  it.each([
    ['n'.repeat(64), 'n'.repeat(64)],
    ['😀'.repeat(64), '😀'.repeat(64)],
    ['', null],
    [undefined, null],
  ])('can be named %j', async (name, stored) => {
    expect((await create(usualScene(), { ...LINK, name })).share).toMatchObject({ name: stored });
  });

  it.each(['n'.repeat(65), '😀'.repeat(65)])('cannot be named %j', async (name) => {
    expect(await outcomeOf(create(usualScene(), { ...LINK, name }))).toBe('link-name-too-long');
  });
});

describe('sharing a received node again', () => {
  it('belongs to the owner and may have the permissions of all mounts together', async () => {
    const scene = usualScene();
    await scene.share('alice', { path: '/docs', shareWith: 'bob', permissions: 17 });
    await scene.share('alice', { path: '/docs', shareType: 1, shareWith: 'team', permissions: 7 });
    const { share, path } = await create(scene, { shareType: 0, shareWith: 'carol', permissions: 23 }, 'bob');
    expect(share).toMatchObject({ initiatorUid: 'bob', permissions: 23, node: { ownerUid: 'alice' } });
    expect(path).toBe('/docs');
    const more = create(scene, { shareType: 3, permissions: 15 }, 'bob');
    expect(await outcomeOf(more)).toBe('permissions-exceeded');
  });

  it('works for nodes inside of a received folder, with their path there', async () => {
    const scene = usualScene();
    scene.world.add('alice', '/docs/sub/');
    await scene.share('alice', { path: '/docs', shareWith: 'bob' });
    scene.tree.move('bob', '/docs', '/theirs');
    const view = await create(scene, { path: '/theirs/sub', shareType: 0, shareWith: 'carol' }, 'bob');
    expect(view).toMatchObject({
      path: '/theirs/sub',
      mountTarget: '/theirs',
      share: { node: { ownerPath: '/docs/sub' } },
    });
  });

  it('can be switched off', async () => {
    const scene = usualScene();
    await scene.share('alice', { path: '/docs', shareWith: 'bob' });
    scene.set('core/shareapi_allow_resharing', 'no');
    expect(await outcomeOf(create(scene, { shareType: 0, shareWith: 'carol' }, 'bob'))).toBe('not-shareable');
    expect(await outcomeOf(create(scene, { shareType: 0, shareWith: 'carol' }))).toBe('done');
  });

  it('repeats each attribute of the received share', async () => {
    const scene = usualScene();
    await scene.share('alice', {
      path: '/docs',
      shareWith: 'bob',
      permissions: 31,
      attributes: [DOWNLOAD_OFF],
    });
    const asked = { shareType: 0, shareWith: 'carol', permissions: 1 };
    expect(await outcomeOf(create(scene, asked, 'bob'))).toBe('attributes-exceeded');
    const opposite = [{ ...DOWNLOAD_OFF, enabled: true }];
    expect(await outcomeOf(create(scene, { ...asked, attributes: opposite }, 'bob'))).toBe(
      'attributes-exceeded',
    );
    expect(await outcomeOf(create(scene, { ...asked, attributes: [DOWNLOAD_OFF] }, 'bob'))).toBe('done');
  });

  it('with a group of the resharer does not mount the file twice for them', async () => {
    const scene = usualScene();
    await scene.share('alice', { path: '/docs', shareWith: 'bob' });
    await scene.share('bob', { path: '/docs', shareType: 1, shareWith: 'team' });
    expect([...scene.tree.visibleMounts('bob').keys()]).toEqual(['/docs']);
    expect([...scene.tree.visibleMounts('dave').keys()]).toEqual(['/docs']);
  });
});

describe('the parameters of a new share in each mode', () => {
  const USER = { path: '/docs', shareType: 0, shareWith: 'bob' };
  const LINK = { path: '/docs', shareType: 3 };

  it.each([
    ['documented', USER, { password: '' }, 'only-for-links'],
    ['documented', USER, { publicUpload: false }, 'only-for-links'],
    ['documented', LINK, { password: 'long enough', publicUpload: true }, 'done'],
    ['documented', LINK, { password: 'nine-char' }, 'link-password-refused'],
    ['documented', LINK, { password: 'qwertyuiop' }, 'link-password-refused'],
    ['documented', LINK, { password: '' }, 'done'],
    ['owncloud10', LINK, { password: 'p' }, 'done'],
    ['owncloud10', USER, { password: 'p', publicUpload: true }, 'done'],
    ['documented', USER, { expireDate: '2030-06-01' }, 'done'],
    ['documented', USER, { expireDate: '' }, 'date-invalid'],
    ['documented', LINK, { expireDate: '1.6.2030' }, 'date-invalid'],
    ['documented', LINK, { expireDate: 'today' }, 'date-invalid'],
    ['owncloud10', USER, { expireDate: '' }, 'done'],
    ['owncloud10', USER, { expireDate: 'today' }, 'done'],
  ] as const)('%s: %j with %j: %s', async (mode, made, given, outcome) => {
    expect(await outcomeOf(create(usualScene(mode), { ...made, ...given }))).toBe(outcome);
  });

  it('ends today if the administrator set no days', async () => {
    const scene = usualScene();
    set(['default_expire_date_user_share', 'yes'], ['enforce_expire_date_user_share', 'yes'])(scene);
    set(['expire_after_n_days_user_share', '0'])(scene);
    expect((await create(scene, USER)).share.expiresOn).toBe('2030-05-15');
    expect(await outcomeOf(create(scene, { ...USER, path: '/a.txt', expireDate: '2030-05-16' }))).toBe(
      'expiry-too-far',
    );
  });
});
