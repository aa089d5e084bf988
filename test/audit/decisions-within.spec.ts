import { ADMIN } from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AuditWatch, expectDocumented, expectNoSecrets, play, type Step } from './audit-world';

const PASSWORD_OF_LINK = 'CanaryOfALink-1';

let people: SharingGateway;
let watch: AuditWatch;

beforeAll(async () => {
  people = await SharingGateway.start({ compatibility: 'owncloud10' });
  watch = new AuditWatch(people);
  await people.addUsers('alice', 'bob', 'carla', 'dave');
  await people.addGroup('team', 'alice', 'bob', 'carla');
  await people.store('alice', '/a.txt', '/b.txt', '/c.txt', '/d.txt');
  await watch.look();
});
afterAll(() => people?.stop());

const ids: Record<string, string> = {};
const share = async (name: string, form: Record<string, string>): Promise<void> => {
  ids[name] = await people.shareId('alice', form);
};

async function emptyTrash(uid: string): Promise<void> {
  const headers = { authorization: people.authorizationOf(uid) };
  const reply = await fetch(`${people.gateway.url}/remote.php/dav/trash-bin/${uid}`, {
    method: 'DELETE',
    headers,
  });
  expect(reply.status).toBe(204);
}

const SHARES: readonly Step[] = [
  [
    'a share with a user',
    () => share('user', { path: '/a.txt', shareWith: 'bob' }),
    'alice share.create share',
  ],
  ['the same again', () => people.share('alice', { path: '/a.txt', shareWith: 'bob' })],
  ['a list', () => people.list('alice')],
  [
    'a change',
    () => people.shares('PUT', `/${ids.user}`, 'alice', { permissions: '1' }),
    'alice share.update share',
  ],
  ['a decline', () => people.shares('DELETE', `/pending/${ids.user}`, 'bob'), 'bob share.decline share'],
  ['an acceptance', () => people.shares('POST', `/pending/${ids.user}`, 'bob'), 'bob share.accept share'],
  ['leaving over WebDAV', () => people.dav('DELETE', 'bob', '/a.txt'), 'bob share.decline share'],
  ['an end', () => people.shares('DELETE', `/${ids.user}`, 'alice'), 'alice share.delete share'],
  [
    'a share with a group',
    () => share('group', { path: '/b.txt', shareType: '1', shareWith: 'team' }),
    'alice share.create share',
  ],
  ['that a member sees for the first time', () => people.received('carla')],
  [
    'its decline by one',
    () => people.shares('DELETE', `/pending/${ids.group}`, 'carla'),
    'carla share.decline share',
  ],
  [
    'a link',
    () => share('link', { path: '/c.txt', shareType: '3', password: PASSWORD_OF_LINK, name: 'for all' }),
    'alice share.create share',
  ],
  [
    'a password of it',
    () => people.shares('PUT', `/${ids.link}`, 'alice', { password: `${PASSWORD_OF_LINK}2` }),
    'alice share.update share',
  ],
  ['new content', () => people.dav('PUT', 'alice', '/c.txt', {}, 'other text')],
  ['the deletion of its file', () => people.dav('DELETE', 'alice', '/c.txt'), 'alice share.hide share'],
  ['the end of its file', () => emptyTrash('alice'), 'alice share.delete share', 'alice file.purge file'],
  ['a setting', () => people.set('core/shareapi_allow_links', 'no'), 'admin setting.change setting'],
  [
    'a refusal by the policy',
    () => people.share('alice', { path: '/d.txt', shareType: '3' }),
    'alice share.create share refused',
  ],
  ['its default', () => people.unset('core/shareapi_allow_links'), 'admin setting.reset setting'],
  [
    'a preference',
    () =>
      people.ocs(
        'POST',
        '/apps/provisioning_api/api/v1/config/users/files_sharing/auto_accept_share',
        'bob',
        {
          configValue: 'no',
          value: 'no',
        },
      ),
    'bob preference.change account',
  ],
];

const ADMINISTRATION: readonly Step[] = [
  ['an account', () => people.addUsers('emil'), 'admin account.create account'],
  ['a group', () => people.addGroup('crew', 'emil'), 'admin group.create group', 'admin group.join group'],
  ['the end of a membership', () => people.leave('crew', 'emil'), 'admin group.leave group'],
  ['the end of a group', () => people.removeGroup('crew'), 'admin group.delete group'],
  [
    'another address',
    () => people.ocs('PUT', '/cloud/users/emil', ADMIN.uid, { key: 'email', value: 'emil@example.org' }),
    'admin account.update account',
  ],
  ['the end of an account', () => people.removeUser('emil'), 'admin account.delete account'],
  [
    'guesses at a password',
    async () => {
      const authorization = `Basic ${Buffer.from('dave:WrongCanary').toString('base64')}`;
      for (let guess = 0; guess < 13; guess++)
        await fetch(`${people.gateway.url}/ocs/v2.php/cloud/user`, { headers: { authorization } });
    },
    'system sign-in account refused',
  ],
];

describe('every decision within an instance is recorded once, with its actor', () => {
  it('about shares', async () => {
    for (const step of SHARES) await play(watch, step);
  });

  it('about accounts and groups', async () => {
    for (const step of ADMINISTRATION) await play(watch, step);
  });

  it('under a name of the operators’ manual', () => expectDocumented(people));
  it('without any secret in it', () => expectNoSecrets(people, [], 'dave'));
});
