import {
  createCommand,
  outcomeOf,
  usualScene,
  type SharingScene,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import { SHARE_TYPES } from '../domain/share';
import type { SharingFailure } from '../domain/sharing-failed';
import { createShare } from './create-share';
import type { CreateShareCommand } from '../kinds/create-share-command';

type Given = Partial<CreateShareCommand>;

/** A setup and a request that break one rule. */
interface Breach {
  readonly failure: SharingFailure;
  readonly asks?: Given;
  readonly given?: (scene: SharingScene) => Promise<unknown> | void;
  /** Later breaches that would also break a rule that comes before this one. */
  readonly notWith?: readonly SharingFailure[];
}

const set =
  (...settings: readonly (readonly [string, string])[]) =>
  (scene: SharingScene): void =>
    settings.forEach(([name, value]) => scene.set(`core/shareapi_${name}`, value));

/** Carol shares a folder with Alice. It is mounted at `/<name>` in Alice's tree. */
const receive =
  (name: string, given: Given) =>
  async (scene: SharingScene): Promise<void> => {
    scene.world.add('carol', `/${name}/`);
    await scene.share('carol', { path: `/${name}`, shareWith: 'alice', ...given });
  };

const DOWNLOAD_OFF = { scope: 'permissions', key: 'download', enabled: false };
const MOUNTED: readonly SharingFailure[] = [
  'not-shareable',
  'permissions-exceeded',
  'attributes-exceeded',
  'with-owner',
];

const BEFORE_RECIPIENT: Breach[] = [
  { failure: 'api-disabled', given: set(['enabled', 'no']) },
  { failure: 'path-missing', asks: { path: undefined } },
  { failure: 'path-wrong', asks: { path: '/nothing' } },
  { failure: 'date-invalid', asks: { expireDate: 'not a day' } },
];

const BEHIND_RECIPIENT = (expiry: string): Breach[] => [
  {
    failure: 'sharer-excluded',
    given: (scene) => {
      scene.world.addGroup('excluded', 'alice');
      set(['exclude_groups', 'yes'], ['exclude_groups_list', '["excluded"]'])(scene);
    },
  },
  {
    failure: 'contains-received',
    asks: { path: '/holder' },
    given: async (scene) => {
      scene.world.add('alice', '/holder/');
      await receive('mounted', {})(scene);
      scene.tree.move('alice', '/mounted', '/holder/mounted');
    },
  },
  { failure: 'expiry-past', asks: { expireDate: '2030-05-14' } },
  {
    failure: 'expiry-too-far',
    asks: { expireDate: '2030-05-23' },
    given: set([`default_expire_date${expiry}`, 'yes'], [`enforce_expire_date${expiry}`, 'yes']),
  },
];

const SHAREABLE: Breach[] = [
  // Received nodes lie below the root, so sharing a root with received nodes breaks an earlier rule.
  { failure: 'root', asks: { path: '/' }, notWith: MOUNTED },
  {
    failure: 'not-shareable',
    asks: { path: '/read-only' },
    given: receive('read-only', { permissions: 15 }),
  },
];

const PERMISSIONS: Breach[] = [
  { failure: 'permissions-invalid', asks: { permissions: 32 } },
  { failure: 'permissions-none', asks: { permissions: 0 } },
];

const ATTRIBUTES: Breach = {
  failure: 'attributes-exceeded',
  asks: { path: '/no-download', attributes: [], permissions: 17 },
  given: receive('no-download', { permissions: 31, attributes: [DOWNLOAD_OFF] }),
};

const exceeded = (permissions: number): Breach => ({
  failure: 'permissions-exceeded',
  asks: { path: '/little', permissions },
  given: receive('little', { permissions: 17 }),
});

const USER_RULES: Breach[] = [
  ...BEFORE_RECIPIENT,
  { failure: 'user-unknown', asks: { shareWith: 'nobody' } },
  ...BEHIND_RECIPIENT('_user_share'),
  { failure: 'with-yourself', asks: { shareWith: 'alice' } },
  ...SHAREABLE,
  ...PERMISSIONS,
  exceeded(31),
  ATTRIBUTES,
  {
    failure: 'only-group-members',
    asks: { shareWith: 'dave' },
    given: set(['only_share_with_group_members', 'yes']),
  },
  {
    failure: 'with-owner',
    asks: { path: '/of-carol', shareWith: 'carol', permissions: 17 },
    given: receive('of-carol', { permissions: 31 }),
  },
  {
    failure: 'already-shared-user',
    asks: { path: '/docs', shareWith: 'dave' },
    given: (scene) => scene.share('alice', { path: '/docs', shareWith: 'dave' }),
  },
];

const GROUP_RULES: Breach[] = [
  ...BEFORE_RECIPIENT,
  { failure: 'group-sharing-disabled', given: set(['allow_group_sharing', 'no']) },
  { failure: 'group-unknown', asks: { shareWith: 'nobodies' } },
  {
    failure: 'group-blacklisted',
    asks: { shareWith: 'team' },
    given: (scene) => scene.set('files_sharing/blacklisted_receiver_groups', '["team"]'),
  },
  ...BEHIND_RECIPIENT('_group_share'),
  ...SHAREABLE,
  ...PERMISSIONS,
  exceeded(31),
  ATTRIBUTES,
  {
    failure: 'only-membership-groups',
    asks: { shareWith: 'team' },
    given: set(['only_share_with_membership_groups', 'yes']),
  },
  {
    failure: 'already-shared-group',
    asks: { path: '/docs', shareWith: 'team' },
    given: (scene) => scene.share('alice', { path: '/docs', shareType: 1, shareWith: 'team' }),
  },
];

const LINK_RULES: Breach[] = [
  ...BEFORE_RECIPIENT,
  { failure: 'links-disabled', given: set(['allow_links', 'no']) },
  {
    failure: 'link-creation-limited',
    given: (scene) => {
      scene.set('files_sharing/public_share_sharers_groups_allowlist_enabled', 'yes');
      scene.set('files_sharing/public_share_sharers_groups_allowlist', '["team"]');
    },
  },
  {
    failure: 'public-upload-disabled',
    asks: { publicUpload: true },
    given: set(['allow_public_upload', 'no']),
  },
  {
    failure: 'public-upload-on-file',
    asks: { path: '/a.txt', publicUpload: true },
    notWith: ['public-upload-disabled', 'link-upload-off'],
  },
  {
    failure: 'public-upload-disabled',
    asks: { publicUpload: undefined, permissions: 5 },
    given: set(['allow_public_upload', 'no']),
  },
  ...BEHIND_RECIPIENT(''),
  ...SHAREABLE,
  exceeded(3),
  { ...ATTRIBUTES, asks: { path: '/no-download', attributes: undefined, permissions: 1 } },
  {
    failure: 'link-upload-off',
    asks: { path: '/docs', permissions: 3 },
    given: set(['allow_public_upload', 'no']),
  },
  {
    failure: 'link-password-enforced',
    asks: { permissions: 1, password: '' },
    given: set(['enforce_links_password_read_only', 'yes']),
  },
  { failure: 'link-name-too-long', asks: { name: 'n'.repeat(65) } },
];

const KINDS: readonly (readonly [string, Given, Breach[]])[] = [
  ['a user', { shareType: SHARE_TYPES.user, shareWith: 'dave' }, USER_RULES],
  ['a group', { shareType: SHARE_TYPES.group, shareWith: 'team' }, GROUP_RULES],
  ['a link', { shareType: SHARE_TYPES.link }, LINK_RULES],
];

const create = (scene: SharingScene, given: Given, uid = 'alice') =>
  createShare(scene.ports, scene.world.caller(uid), createCommand({ path: '/docs', ...given }));

/** A request that breaks these rules. If two of them ask for different things, the first one wins. */
async function outcomeOfBreaking(base: Given, breaches: readonly Breach[]) {
  const scene = usualScene();
  const lastFirst = [...breaches].reverse();
  // Shares of the setup have to succeed, so settings that forbid sharing come last.
  for (const breach of lastFirst) if (MOUNTED.includes(breach.failure)) await breach.given?.(scene);
  for (const breach of lastFirst) if (breach.failure.startsWith('already')) await breach.given?.(scene);
  for (const breach of lastFirst) if (breach.failure === 'contains-received') await breach.given?.(scene);
  const arranged = new Set<string>([
    ...MOUNTED,
    'already-shared-user',
    'already-shared-group',
    'contains-received',
  ]);
  for (const breach of lastFirst) if (!arranged.has(breach.failure)) await breach.given?.(scene);
  const asked = lastFirst.reduce<Given>((sum, { asks }) => ({ ...sum, ...asks }), base);
  return outcomeOf(create(scene, asked));
}

describe.each(KINDS)('a share with %s', (_, base, rules) => {
  it('is made if no rule is broken', async () => {
    expect(await outcomeOfBreaking(base, [])).toBe('done');
  });

  it.each(rules.map((rule) => [rule.failure, rule] as const))('is refused for %s', async (failure, rule) => {
    expect(await outcomeOfBreaking(base, [rule])).toBe(failure);
  });

  const pairs = rules.flatMap((first, index) =>
    rules
      .slice(index + 1)
      .filter((second) => !first.notWith?.includes(second.failure))
      .map((second) => [first.failure, second.failure, first, second] as const),
  );
  it.each(pairs)('is refused for %s first, before %s', async (failure, _second, first, second) => {
    expect(await outcomeOfBreaking(base, [first, second])).toBe(failure);
  });
});
