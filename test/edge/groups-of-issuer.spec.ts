import { OidcIssuer } from '../../libs/testing/src/rigs/oidc-issuer';
import { SharingWorld } from '../api/sharing-world';

const SHARED_WITH_ME = '/ocs/v2.php/apps/files_sharing/api/v1/shares?shared_with_me=true&format=json';

let issuer: OidcIssuer;
let merging: SharingWorld;
let separate: SharingWorld;

/** A gateway with a group `staff` that contains bob, before any sign-in at the issuer. */
async function start(rule: 'merge' | 'separate'): Promise<SharingWorld> {
  const world = await SharingWorld.start({
    compatibility: 'owncloud10',
    env: { ...issuer.env, OIDC_GROUPS_CLAIM: 'groups', OIDC_GROUPS_OF_SAME_NAME: rule },
  });
  await world.addUser('bob');
  await world.addGroup('staff', 'bob');
  return world;
}

beforeAll(async () => {
  issuer = await OidcIssuer.start();
  [merging, separate] = [await start('merge'), await start('separate')];
}, 300_000);
afterAll(async () => {
  await Promise.all([merging, separate].map((world) => world?.stop()));
  await issuer?.close();
});

/** A user signs in with a new token, in which the issuer names these groups. @returns the header of their requests */
async function comes(world: SharingWorld, name: string, ...groups: string[]): Promise<string> {
  issuer.people.set(`s-${name}`, { preferred_username: name, groups });
  const authorization = `Bearer ${await issuer.token(`s-${name}`)}`;
  const reply = await fetch(`${world.gateway.url}/ocs/v2.php/cloud/user`, { headers: { authorization } });
  expect(reply.status).toBe(200);
  return authorization;
}

const membersOf = async (world: SharingWorld, gid: string): Promise<string[]> => {
  const { data } = await world.must('GET', `/cloud/groups/${gid}`);
  return (data as { users: string[] }).users.toSorted();
};

async function targetsOf(world: SharingWorld, authorization: string): Promise<string[]> {
  const reply = await fetch(world.gateway.url + SHARED_WITH_ME, { headers: { authorization } });
  const { ocs } = (await reply.json()) as { ocs: { data: { file_target: string }[] } };
  return ocs.data.map((share) => share.file_target);
}

describe('a group of the issuer with the name of a group here', () => {
  it('is merged if the rule says so: its shares reach the members of both', async () => {
    const carol = await comes(merging, 'carol', 'staff');
    expect(await membersOf(merging, 'staff')).toEqual(['bob', 'carol']);
    await merging.put('bob', '/merged.txt');
    await merging.share('bob', { path: '/merged.txt', shareType: '1', shareWith: 'staff' });
    expect(await targetsOf(merging, carol)).toEqual(['/merged.txt']);
    const later = await comes(merging, 'carol');
    expect(await membersOf(merging, 'staff')).toEqual(['bob']);
    expect(await targetsOf(merging, later)).toEqual([]);
  });

  it('is separate by default: shares with the local group do not reach its members', async () => {
    const carol = await comes(separate, 'carol', 'staff');
    expect(await membersOf(separate, 'staff')).toEqual(['bob']);
    expect(await membersOf(separate, 'staff-2')).toEqual(['carol']);
    await separate.put('bob', '/separate.txt');
    await separate.share('bob', { path: '/separate.txt', shareType: '1', shareWith: 'staff' });
    expect(await targetsOf(separate, carol)).toEqual([]);
  });

  it('is passed over if it has no name that a group can have', async () => {
    await comes(separate, 'frank', ' ', '..', 'makers');
    expect(await membersOf(separate, 'makers')).toEqual(['frank']);
  });

  it('keeps a local membership when the issuer removes its own', async () => {
    await comes(merging, 'dora');
    await merging.must('POST', '/cloud/users/dora/groups', { form: { groupid: 'staff' } });
    await comes(merging, 'dora', 'staff');
    await comes(merging, 'dora');
    expect(await membersOf(merging, 'staff')).toEqual(['bob', 'dora']);
  });

  it('is never the group of the administrators', async () => {
    const eve = await comes(merging, 'eve', 'admin');
    expect(await membersOf(merging, 'admin')).toEqual(['admin']);
    const users = await fetch(`${merging.gateway.url}/ocs/v2.php/cloud/users`, {
      headers: { authorization: eve },
    });
    expect(users.status).not.toBe(200);
  });
});
