import { AS_ENFORCED, NOT_ANNOUNCED, WITH_NOTIFICATIONS } from './capability-differences';
import { describeShapes, type Difference } from './describe-shapes';
import { MANIFEST } from './manifest';
import type { ShapeWorld } from './shape-world';

const CONFIG = '/apps/provisioning_api/api/v1/config/apps';
const CORE = 'core/shareapi_';

/** Settings during the recordings of these names. */
const POLICIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sharing-disabled': { [`${CORE}enabled`]: 'no' },
  'links-disabled': { [`${CORE}allow_links`]: 'no' },
  'publicupload-disabled': { [`${CORE}allow_public_upload`]: 'no' },
  'group-disabled': { [`${CORE}allow_group_sharing`]: 'no' },
  groupmembersonly: { [`${CORE}only_share_with_group_members`]: 'yes' },
  'reshare-disabled': { [`${CORE}allow_resharing`]: 'no' },
  'password-enforced': { [`${CORE}enforce_links_password_read_only`]: 'yes' },
  'expire-enforced': { [`${CORE}default_expire_date`]: 'yes', [`${CORE}enforce_expire_date`]: 'yes' },
  'fed-outgoing-disabled': { 'files_sharing/outgoing_server2server_share_enabled': 'no' },
  'excluded-group': { [`${CORE}exclude_groups`]: 'yes', [`${CORE}exclude_groups_list`]: '["grp1"]' },
};

const policyOf = (name: string): Readonly<Record<string, string>> => POLICIES[name.split('.')[0]!] ?? {};

async function apply(world: ShapeWorld, name: string): Promise<void> {
  for (const key of Object.values(POLICIES).flatMap(Object.keys))
    await world.administer('DELETE', `${CONFIG}/${key}`, {});
  for (const [key, value] of Object.entries(policyOf(name)))
    await world.administer('POST', `${CONFIG}/${key}`, { value });
}

const inSevenDays = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

const COUNTED_FROM_TODAY: Difference = {
  because: 'the enforced day is counted from the day of the request',
  expected: (recorded) => ({
    ...recorded,
    body: recorded.body.replace(/"expiration":"[\d-]+ /, `"expiration":"${inSevenDays()} `),
  }),
};

const MEMBERS_ONLY: Difference = {
  because: 'of the limits on recipients one was really on',
  expected: (recorded) => ({
    ...recorded,
    body: recorded.body.replace(
      '"share_with_group_members_only":false',
      '"share_with_group_members_only":true',
    ),
  }),
};

describeShapes('policy', {
  given: async (world) => {
    await world.store('alice', ['/docs/', '/docs/a.txt', '/q1.txt']);
    await world.store('bob', ['/docs/']);
    await world.administer('POST', '/cloud/groups', { groupid: 'grp1' });
    for (const uid of ['alice', 'bob', 'carol']) await world.addToGroup(uid, 'grp1');
    await world.share('5', '/docs', 'bob');
    await world.share('8', '/docs', '', { shareType: '3', expireDate: '2033-01-02', name: 'json name' });
    // Bob had a folder with that name, so the received folder got another name.
    await world.send({ method: 'PROPFIND', target: '/remote.php/webdav/', user: 'bob' });
  },
  before: Object.fromEntries(
    (MANIFEST.policy?.compared ?? []).map((name) => [name, (world) => apply(world, name)]),
  ),
  differences: (name) => {
    if (name === 'expire-enforced.create-default.v1.json') return [COUNTED_FROM_TODAY];
    if (!name.includes('.capabilities.')) return [];
    const always = [NOT_ANNOUNCED, AS_ENFORCED, WITH_NOTIFICATIONS];
    return name.startsWith('groupmembersonly') ? [...always, MEMBERS_ONLY] : always;
  },
});
