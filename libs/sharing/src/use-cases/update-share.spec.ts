import {
  outcomeOf,
  updateCommand,
  usualScene,
  type SharingScene,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import type { SharingFailure } from '../domain/sharing-failed';
import type { UpdateShareCommand } from '../kinds/update-share-command';
import { updateShare } from './update-share';

type Given = Partial<UpdateShareCommand>;

const DOWNLOAD_OFF = { scope: 'permissions', key: 'download', enabled: false };
const READ_ATTRIBUTE = { scope: 'ownCloud', key: 'read', enabled: true };

const update = (scene: SharingScene, id: number, given: Given, uid = 'alice') =>
  updateShare(scene.ports, scene.world.caller(uid), updateCommand(id, given));

const USER = { path: '/docs', shareType: 0, shareWith: 'bob' };
const GROUP = { path: '/docs', shareType: 1, shareWith: 'team' };
const LINK = { path: '/docs', shareType: 3 };

const set = (scene: SharingScene, key: string, value: string): void =>
  scene.set(`core/shareapi_${key}`, value);
const enforceExpiry = (suffix: string) => (scene: SharingScene) => {
  set(scene, `default_expire_date${suffix}`, 'yes');
  set(scene, `enforce_expire_date${suffix}`, 'yes');
};

/** One way to break one rule of an update; the setup runs once the share exists. */
interface Breach {
  readonly failure: SharingFailure;
  readonly asks?: Given;
  readonly uid?: string;
  readonly given?: (scene: SharingScene) => unknown;
  readonly notWith?: readonly SharingFailure[];
}

const FIRST: Breach[] = [
  { failure: 'api-disabled', given: (scene) => set(scene, 'enabled', 'no') },
  { failure: 'share-unknown', asks: { id: 999_999 } },
  { failure: 'update-not-allowed', uid: 'dave' },
  {
    failure: 'sharer-excluded',
    given: (scene) => {
      scene.world.addGroup('excluded', 'alice');
      set(scene, 'exclude_groups', 'yes');
      set(scene, 'exclude_groups_list', '["excluded"]');
    },
  },
];

const permissionsOf = (suffix: string): Breach[] => [
  { failure: 'date-invalid', asks: { expireDate: '2030-02-30' } },
  { failure: 'expiry-past', asks: { expireDate: '2030-05-14' } },
  { failure: 'expiry-too-far', asks: { expireDate: '2030-05-23' }, given: enforceExpiry(suffix) },
  { failure: 'expiry-enforced', asks: { expireDate: '' }, given: enforceExpiry(suffix) },
];

const RECIPIENT_RULES: Breach[] = [
  { failure: 'permissions-invalid', asks: { permissions: 32 } },
  { failure: 'permissions-none', asks: { permissions: 0 } },
];

const KINDS: readonly (readonly [string, object, Breach[]])[] = [
  [
    'a user share',
    { ...USER, expireDate: '2030-05-20' },
    [
      ...FIRST,
      {
        failure: 'only-group-members',
        given: (scene) => set(scene, 'only_share_with_group_members', 'yes'),
      },
      ...permissionsOf('_user_share'),
      ...RECIPIENT_RULES,
    ],
  ],
  [
    'a group share',
    { ...GROUP, expireDate: '2030-05-20' },
    [
      ...FIRST,
      { failure: 'group-sharing-off', given: (scene) => set(scene, 'allow_group_sharing', 'no') },
      {
        failure: 'only-membership-groups',
        given: (scene) => set(scene, 'only_share_with_membership_groups', 'yes'),
      },
      ...permissionsOf('_group_share'),
      ...RECIPIENT_RULES,
    ],
  ],
  [
    'a link',
    { ...LINK, expireDate: '2030-05-20' },
    [
      ...FIRST,
      { failure: 'link-permissions', asks: { permissions: 31 } },
      {
        failure: 'public-upload-disabled',
        asks: { permissions: undefined, publicUpload: true },
        given: (scene) => set(scene, 'allow_public_upload', 'no'),
      },
      ...permissionsOf(''),
      { failure: 'links-off', given: (scene) => set(scene, 'allow_links', 'no') },
      {
        failure: 'link-upload-off',
        asks: { permissions: 3 },
        given: (scene) => set(scene, 'allow_public_upload', 'no'),
      },
      {
        failure: 'link-password-enforced',
        asks: { permissions: 4, password: '' },
        given: (scene) => set(scene, 'enforce_links_password_write_only', 'yes'),
        notWith: ['link-upload-off'],
      },
      { failure: 'link-name-too-long', asks: { name: 'n'.repeat(65) } },
    ],
  ],
];

async function outcomeOfBreaking(
  made: object,
  breaches: readonly Breach[],
): Promise<SharingFailure | 'done'> {
  const scene = usualScene();
  const id = await scene.share('alice', made);
  const lastFirst = [...breaches].reverse();
  for (const breach of lastFirst) breach.given?.(scene);
  const asks = lastFirst.reduce<Given>((sum, breach) => ({ ...sum, ...breach.asks }), { permissions: 1 });
  const uid = breaches.find((breach) => breach.uid)?.uid ?? 'alice';
  return outcomeOf(update(scene, id, asks, uid));
}

describe.each(KINDS)('an update of %s', (_, made, rules) => {
  it('is made if no rule is broken', async () => {
    expect(await outcomeOfBreaking(made, [])).toBe('done');
  });

  it.each(rules.map((rule) => [rule.failure, rule] as const))('is refused for %s', async (failure, rule) => {
    expect(await outcomeOfBreaking(made, [rule])).toBe(failure);
  });

  const pairs = rules.flatMap((first, index) =>
    rules
      .slice(index + 1)
      // Leaves out settings of a later rule that the request of the earlier rule would break first.
      .filter((second) => !second.notWith?.includes(first.failure))
      .map((second) => [first.failure, second.failure, first, second] as const),
  );
  it.each(pairs)('is refused for %s before %s', async (failure, _second, first, second) => {
    expect(await outcomeOfBreaking(made, [first, second])).toBe(failure);
  });
});

describe('the right to change a share', () => {
  it.each(['bob', 'carol', 'dave'])('does not belong to %s, a recipient or a stranger', async (uid) => {
    const scene = usualScene();
    const id = await scene.share('alice', GROUP);
    expect(await outcomeOf(update(scene, id, { permissions: 1 }, uid))).toBe('update-not-allowed');
  });

  it('belongs to the owner above the resharer’s permissions, and to the resharer only within them', async () => {
    const scene = usualScene();
    await scene.share('alice', { ...USER, permissions: 17 });
    const id = await scene.share('bob', { path: '/docs', shareWith: 'carol', permissions: 1 });
    expect(await outcomeOf(update(scene, id, { permissions: 15 }, 'bob'))).toBe('permissions-exceeded');
    expect((await update(scene, id, { permissions: 17 }, 'bob')).share.permissions).toBe(17);
    expect((await update(scene, id, { permissions: 31 })).share.permissions).toBe(31);
  });

  it('a re-sharer who may not share any more cannot change the share', async () => {
    const scene = usualScene();
    const through = await scene.share('alice', { ...USER, permissions: 31 });
    const id = await scene.share('bob', { path: '/docs', shareWith: 'carol', permissions: 1 });
    await update(scene, through, { permissions: 15 });
    for (const given of [{ permissions: 1 }, { expireDate: '2030-06-01' }, { note: 'new' }])
      expect(await outcomeOf(update(scene, id, given, 'bob'))).toBe('not-shareable');
  });

  it('of a reshare belongs to its owner alone while resharing is off', async () => {
    const scene = usualScene();
    await scene.share('alice', { ...USER, permissions: 31 });
    const id = await scene.share('bob', { path: '/docs', shareWith: 'carol', permissions: 1 });
    set(scene, 'allow_resharing', 'no');
    expect(await outcomeOf(update(scene, id, { expireDate: '2030-06-01' }, 'bob'))).toBe('not-shareable');
    expect(await outcomeOf(update(scene, id, { expireDate: '2030-06-01' }))).toBe('done');
  });

  it('does not end with a rule that limits only who gets new shares', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', GROUP);
    scene.set('files_sharing/blacklisted_receiver_groups', '["team"]');
    expect(await outcomeOf(update(scene, id, { permissions: 31 }))).toBe('done');
  });

  it('allows a change for a recipient who is in a group of the caller', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', USER);
    scene.world.addGroup('both', 'alice', 'bob');
    set(scene, 'only_share_with_group_members', 'yes');
    expect(await outcomeOf(update(scene, id, { permissions: 31 }))).toBe('done');
  });

  it('a re-sharer who has lost the file cannot change the share', async () => {
    const scene = usualScene();
    const through = await scene.share('alice', USER);
    const id = await scene.share('bob', { path: '/docs', shareWith: 'carol', permissions: 1 });
    await scene.ports.shares.remove(through);
    expect(await outcomeOf(update(scene, id, { expireDate: '2030-06-01' }, 'bob'))).toBe('share-unknown');
    expect((await scene.ports.shares.find(id, 'alice'))?.expiresOn).toBeNull();
  });

  it('repeats the attributes of the received share in a reshare', async () => {
    const scene = usualScene();
    await scene.share('alice', { ...USER, permissions: 31, attributes: [DOWNLOAD_OFF] });
    const asked = { path: '/docs', shareWith: 'carol', permissions: 1, attributes: [DOWNLOAD_OFF] };
    const id = await scene.share('bob', asked);
    for (const given of [{ attributes: [] }, { permissions: 1, attributes: [] }])
      expect(await outcomeOf(update(scene, id, given, 'bob'))).toBe('attributes-exceeded');
  });

  it.each([
    [{ permissions: 5 }, 'attributes-exceeded'],
    [{ expireDate: '' }, 'attributes-exceeded'],
    [{ expireDate: '2030-06-02' }, 'attributes-exceeded'],
    [{ expireDate: '2030-05-31' }, 'done'],
    [{ permissions: 5, attributes: [DOWNLOAD_OFF] }, 'done'],
  ])('after a condition of the owner, %j by the re-sharer: %s', async (given, outcome) => {
    const scene = usualScene();
    const through = await scene.share('alice', { ...USER, permissions: 31 });
    const asked = { path: '/docs', shareWith: 'carol', permissions: 4, expireDate: '2030-06-01' };
    const id = await scene.share('bob', asked);
    await update(scene, through, { attributes: [DOWNLOAD_OFF] });
    expect(await outcomeOf(update(scene, id, given, 'bob'))).toBe(outcome);
  });

  it('lets the owner give more to a reshare, whose maker has a condition', async () => {
    const scene = usualScene();
    const through = await scene.share('alice', { ...USER, permissions: 31 });
    const id = await scene.share('bob', { path: '/docs', shareWith: 'carol', permissions: 4 });
    await update(scene, through, { attributes: [DOWNLOAD_OFF] });
    expect(await outcomeOf(update(scene, id, { permissions: 1 }, 'alice'))).toBe('done');
  });
});

describe('the number of arguments in an update', () => {
  it.each([
    ['documented', USER, {}, 'update-arguments'],
    ['documented', LINK, {}, 'update-arguments'],
    ['documented', USER, { permissions: 1, expireDate: '' }, 'update-arguments'],
    ['documented', LINK, { name: 'a', password: 'b' }, 'update-arguments'],
    ['documented', USER, { permissions: 1 }, 'done'],
    ['documented', USER, { attributes: [DOWNLOAD_OFF] }, 'done'],
    ['documented', LINK, { attributes: [DOWNLOAD_OFF] }, 'done'],
    ['documented', USER, { attributes: [DOWNLOAD_OFF], permissions: 1 }, 'done'],
    ['documented', USER, { attributes: [], permissions: 1, expireDate: '' }, 'update-arguments'],
    ['owncloud10', USER, {}, 'done'],
    ['owncloud10', GROUP, {}, 'done'],
    ['owncloud10', LINK, {}, 'update-arguments'],
    ['owncloud10', USER, { permissions: 1, expireDate: '' }, 'done'],
    ['owncloud10', LINK, { name: 'a', password: 'b' }, 'done'],
  ] as const)('in %s mode: %j with %j: %s', async (mode, made, given, outcome) => {
    const scene = usualScene(mode);
    const id = await scene.share('alice', made);
    const before = await scene.ports.shares.find(id, 'alice');
    expect(await outcomeOf(update(scene, id, given))).toBe(outcome);
    const unchanged = outcome !== 'done' || Object.keys(given).length === 0;
    if (unchanged) expect(await scene.ports.shares.find(id, 'alice')).toEqual(before);
  });
});

describe('arguments that only links have', () => {
  it.each([
    ['documented', USER, { password: '' }, 'only-for-links'],
    ['documented', GROUP, { publicUpload: false }, 'only-for-links'],
    ['documented', LINK, { publicUpload: true }, 'done'],
    ['owncloud10', USER, { password: 'p' }, 'done'],
  ] as const)('in %s mode: %j with %j: %s', async (mode, made, given, outcome) => {
    const scene = usualScene(mode);
    const id = await scene.share('alice', made);
    expect(await outcomeOf(update(scene, id, given))).toBe(outcome);
  });
});

describe('the day of an update', () => {
  it.each([
    ['documented', '2030-06-01', 'done'],
    ['documented', '', 'done'],
    ['documented', 'tomorrow', 'date-invalid'],
    ['documented', '1.6.2030', 'date-invalid'],
    ['documented', '2030-6-1', 'date-invalid'],
    ['documented', '2030-06-01 00:00:00', 'date-invalid'],
    ['owncloud10', 'tomorrow', 'done'],
  ] as const)('in %s mode may be %j: %s', async (mode, expireDate, outcome) => {
    const scene = usualScene(mode);
    const id = await scene.share('alice', USER);
    expect(await outcomeOf(update(scene, id, { expireDate }))).toBe(outcome);
  });
});

describe('an update of a user or group share', () => {
  it.each([USER, GROUP])('changes permissions, day and attributes: %j', async (made) => {
    const scene = usualScene();
    const id = await scene.share('alice', made);
    const given = { permissions: 3, expireDate: '2030-06-01', attributes: [DOWNLOAD_OFF] };
    const { share } = await update(scene, id, given);
    expect(share).toMatchObject({
      permissions: 3,
      expiresOn: '2030-06-01',
      attributes: JSON.stringify([DOWNLOAD_OFF]),
    });
    expect((await update(scene, id, { expireDate: '' })).share.expiresOn).toBeNull();
    expect((await update(scene, id, { attributes: [], permissions: 1 })).share.attributes).toBeNull();
  });

  it('ignores password, name and publicUpload', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', USER);
    const before = await scene.ports.shares.find(id, 'alice');
    await update(scene, id, { password: 'p', name: 'n'.repeat(65), publicUpload: true });
    expect(await scene.ports.shares.find(id, 'alice')).toEqual(before);
  });

  it('of a file drops permissions that a file cannot have', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', { ...USER, path: '/a.txt' });
    expect((await update(scene, id, { permissions: 31 })).share.permissions).toBe(19);
    expect(await outcomeOf(update(scene, id, { permissions: 12 }))).toBe('permissions-none');
  });

  it.each([
    ['documented', [READ_ATTRIBUTE], 1],
    ['documented', [DOWNLOAD_OFF], 31],
    ['documented', [], 31],
    ['owncloud10', [READ_ATTRIBUTE], 1],
    ['owncloud10', [DOWNLOAD_OFF], 31],
  ] as const)(
    'in %s mode by attributes alone applies the permissions in them: %j %i',
    async (mode, attributes, permissions) => {
      const scene = usualScene(mode);
      const id = await scene.share('alice', USER);
      expect((await update(scene, id, { attributes })).share).toMatchObject({
        permissions,
        attributes: attributes.length === 0 ? null : JSON.stringify(attributes),
      });
    },
  );

  it('with only disabled permission attributes is refused', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', USER);
    const call = update(scene, id, { attributes: [{ ...READ_ATTRIBUTE, enabled: false }] });
    expect(await outcomeOf(call)).toBe('permissions-none');
  });

  it('leaves an older share without a day unchanged after days are enforced', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', USER);
    enforceExpiry('_user_share')(scene);
    expect(await outcomeOf(update(scene, id, { expireDate: '' }))).toBe('done');
  });

  it('does not change a day that was allowed when it was set', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', { ...USER, expireDate: '2030-12-01' });
    enforceExpiry('_user_share')(scene);
    expect(await outcomeOf(update(scene, id, { expireDate: '2030-12-01' }))).toBe('done');
    expect(await outcomeOf(update(scene, id, { expireDate: '2030-12-02' }))).toBe('expiry-too-far');
  });
});

describe('an update of a link', () => {
  it.each([
    [{ publicUpload: true }, 15],
    [{ publicUpload: false }, 1],
    [{ publicUpload: true, permissions: 4 }, 4],
    [{ permissions: 7 }, 7],
    [{ permissions: 5 }, 5],
    [{ permissions: 3 }, 3],
    [{ name: 'only the name' }, 15],
  ] as const)('with %j leaves permissions %i', async (given, permissions) => {
    const scene = usualScene();
    const id = await scene.share('alice', { ...LINK, publicUpload: true });
    expect((await update(scene, id, given)).share.permissions).toBe(permissions);
  });

  it.each([0, 2, 8, 16, 17, 19, 31, 32, -1])('with permissions %i is refused', async (permissions) => {
    const scene = usualScene();
    const id = await scene.share('alice', LINK);
    expect(await outcomeOf(update(scene, id, { permissions }))).toBe('link-permissions');
  });

  it.each([1, 3, 5, 15])('cannot set permissions at all in documented mode: %i', async (permissions) => {
    const scene = usualScene('documented');
    const id = await scene.share('alice', LINK);
    expect(await outcomeOf(update(scene, id, { permissions }))).toBe('link-permissions');
    expect(await outcomeOf(update(scene, id, { publicUpload: true }))).toBe('done');
  });

  it.each([{ publicUpload: true }, { permissions: 4 }, { permissions: 15 }])(
    'of a file has no upload: %j',
    async (given) => {
      for (const mode of ['owncloud10', 'documented'] as const) {
        const scene = usualScene(mode);
        const id = await scene.share('alice', { ...LINK, path: '/a.txt' });
        expect(await outcomeOf(update(scene, id, given))).toBe('public-upload-on-file');
      }
    },
  );

  it('sets and removes password and name', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', LINK);
    const set = await update(scene, id, { password: 'secret', name: 'for the press' });
    expect(set.share).toMatchObject({ hasPassword: true, name: 'for the press' });
    const cleared = await update(scene, id, { password: '', name: '' });
    expect(cleared.share).toMatchObject({ hasPassword: false, name: null });
  });

  it('checks a new password by the rules, but not the existing one', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', { ...LINK, password: 'secret' });
    scene.set('password_policy/minLength', '10');
    expect(await outcomeOf(update(scene, id, { password: 'secret' }))).toBe('link-password-refused');
    expect(await outcomeOf(update(scene, id, { name: 'another' }))).toBe('done');
    expect(await outcomeOf(update(scene, id, { password: 'long enough' }))).toBe('done');
    expect(await outcomeOf(update(scene, id, { password: '' }))).toBe('done');
  });

  it('may not remove a password that its permissions need, in any way', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', { ...LINK, password: 'secret', permissions: 1 });
    set(scene, 'enforce_links_password_read_only', 'yes');
    expect(await outcomeOf(update(scene, id, { password: '' }))).toBe('link-password-enforced');
    expect(await outcomeOf(update(scene, id, { password: '', permissions: 15 }))).toBe('done');
    expect(await outcomeOf(update(scene, id, { permissions: 1 }))).toBe('link-password-enforced');
    expect(await outcomeOf(update(scene, id, { name: 'another' }))).toBe('done');
  });

  it('a link can be changed by its creator who may not create links any more', async () => {
    const scene = usualScene();
    const id = await scene.share('alice', LINK);
    scene.set('files_sharing/public_share_sharers_groups_allowlist_enabled', 'yes');
    scene.set('files_sharing/public_share_sharers_groups_allowlist', '["team"]');
    expect(await outcomeOf(update(scene, id, { name: 'still mine' }))).toBe('done');
  });
});
