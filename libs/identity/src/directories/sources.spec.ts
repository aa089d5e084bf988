import { createTestDatabase, type TestDatabase } from '#testing';
import type { AccountEnds } from '../account-end/account-ends';
import { accountEndsOn, administrationOn } from '../administration';
import type { IdentitySource } from './identity-source';

const SOURCE: IdentitySource = {
  kind: 'oidc',
  source: 'https://id.example',
  manages: ['displayName', 'email', 'password'],
  takenNames: 'suffix',
  groupsOfSameName: 'separate',
};
const OTHER: IdentitySource = { ...SOURCE, kind: 'ldap', source: 'directory', groupsOfSameName: 'merge' };

let test: TestDatabase;
let administration: ReturnType<typeof administrationOn>;
let ends: AccountEnds;

beforeAll(async () => {
  test = await createTestDatabase();
  administration = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  ends = accountEndsOn(test.database);
  await administration.users.create({ uid: 'alice', password: 'a-password-of-alice' });
  await administration.groups.create('staff');
});
afterAll(() => test.drop());

const keep = (subject: string, name: string, more = {}, gids?: readonly string[]) =>
  administration.sourceAccounts.keep(SOURCE, { subject, name, ...more }, gids && { at: new Date(), gids });

/** Ends are handled by other objects, so the account is read anew. */
const isEnabled = async (uid: string): Promise<boolean> =>
  (await administrationOn(test.database, { COMPATIBILITY: 'documented' }).users.get(uid)).enabled;

describe('accounts of a source', () => {
  it('are made at first sight and kept up to date', async () => {
    const made = await keep('s1', 'carol', { displayName: 'Carol', email: 'c@example.org', quotaBytes: 10 });
    expect(made).toMatchObject({
      uid: 'carol',
      displayName: 'Carol',
      email: 'c@example.org',
      quotaBytes: 10,
      sources: ['oidc:https://id.example'],
    });
    const later = await keep('s1', 'carol', { displayName: 'Carol B.', email: '' });
    expect(later).toMatchObject({ uid: 'carol', displayName: 'Carol B.', email: null, quotaBytes: 10 });
  });

  it('never take over an existing account with their name', async () => {
    expect((await keep('s2', 'Alice')).uid).toBe('Alice-2');
    await expect(
      administration.sourceAccounts.keep(
        { ...SOURCE, takenNames: 'refuse' },
        { subject: 's3', name: 'alice' },
      ),
    ).rejects.toMatchObject({ reason: 'user-exists' });
    expect((await administration.users.get('alice')).sources).toEqual([]);
  });

  it('stay the same account under a new name, and a reused name gets a new one', async () => {
    const first = await keep('s4', 'dora');
    expect((await keep('s4', 'dora-married')).uid).toBe(first.uid);
    expect((await keep('s5', 'dora')).uid).toBe('dora-2');
  });

  it('are made once by many at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => keep('s6', 'erik')));
    expect(new Set(made.map(({ uid }) => uid)).size).toBe(1);
  });

  it('keep fields that only their source may change', async () => {
    const { users } = administration;
    const refused = { reason: 'managed-elsewhere' };
    await keep('s1', 'carol');
    await expect(users.setDisplayName('carol', 'X')).rejects.toMatchObject(refused);
    await expect(users.setEmail('carol', 'x@example.org')).rejects.toMatchObject(refused);
    await expect(users.setPassword('carol', 'a-new-password-of-carol')).rejects.toMatchObject(refused);
    await users.setQuota('carol', '5 GB');
    expect((await users.get('carol')).quotaBytes).toBe(5 * 1024 ** 3);
  });

  it('are enabled again by the source that disabled them, and by no other', async () => {
    const { users, sourceAccounts } = administration;
    await keep('s7', 'fred');
    expect(await sourceAccounts.disable(SOURCE, 's7')).toBe(true);
    await expect(users.setEnabled('fred', true)).rejects.toMatchObject({ reason: 'managed-elsewhere' });
    expect(await sourceAccounts.enable(SOURCE, 's7')).toBe(true);
    await users.setEnabled('fred', false);
    expect(await sourceAccounts.enable(SOURCE, 's7')).toBe(false);
    expect((await users.get('fred')).enabled).toBe(false);
  });

  it('stay disabled until each source that disabled them enables them', async () => {
    const { users, sourceAccounts } = administration;
    const { uid } = await keep('s10', 'gina');
    await sourceAccounts.attach(OTHER, 'o10', uid);
    await sourceAccounts.disable(SOURCE, 's10');
    await sourceAccounts.disable(OTHER, 'o10');
    expect(await sourceAccounts.enable(SOURCE, 's10')).toBe(false);
    expect((await users.get(uid)).enabled).toBe(false);
    expect(await sourceAccounts.enable(OTHER, 'o10')).toBe(true);
    expect((await users.get(uid)).enabled).toBe(true);
  });

  it('stay disabled when their end is undone, if the source has disabled them meanwhile', async () => {
    const { sourceAccounts } = administration;
    const { uid } = await keep('s11', 'hank');
    await ends.request(uid, {});
    expect(await sourceAccounts.disable(SOURCE, 's11')).toBe(false);
    await ends.undo(uid);
    expect(await isEnabled(uid)).toBe(false);
    expect(await sourceAccounts.enable(SOURCE, 's11')).toBe(true);
    expect(await isEnabled(uid)).toBe(true);
  });

  it('are enabled when their end is undone, if the source has enabled them meanwhile', async () => {
    const { sourceAccounts } = administration;
    const { uid } = await keep('s12', 'iris');
    await sourceAccounts.disable(SOURCE, 's12');
    await ends.request(uid, {});
    expect(await sourceAccounts.enable(SOURCE, 's12')).toBe(false);
    await ends.undo(uid);
    expect(await isEnabled(uid)).toBe(true);
  });

  it('stay as an administrator left them when their end is undone', async () => {
    const { users, sourceAccounts } = administration;
    const { uid } = await keep('s13', 'jane');
    await users.setEnabled(uid, false);
    await ends.request(uid, {});
    await sourceAccounts.disable(SOURCE, 's13');
    await sourceAccounts.enable(SOURCE, 's13');
    await ends.undo(uid);
    expect(await sourceAccounts.enable(SOURCE, 's13')).toBe(false);
    expect(await isEnabled(uid)).toBe(false);
  });

  it('can be an existing account, if an operator says so', async () => {
    const { sourceAccounts } = administration;
    await sourceAccounts.attach(SOURCE, 's8', 'alice');
    expect((await keep('s8', 'whatever')).uid).toBe('alice');
    await expect(sourceAccounts.attach(SOURCE, 's9', 'alice')).rejects.toMatchObject({
      reason: 'user-exists',
    });
    expect(await sourceAccounts.detach(SOURCE, 'alice')).toBe(true);
  });
});

describe('groups of a source', () => {
  it('are separate from groups of the same name, or are merged by rule', async () => {
    const { sourceGroups } = administration;
    expect(await sourceGroups.keep(SOURCE, { subject: 'g1', name: 'staff' })).toBe('staff-2');
    expect(await sourceGroups.keep(SOURCE, { subject: 'g1', name: 'employees' })).toBe('staff-2');
    expect(await sourceGroups.keep(OTHER, { subject: 'g2', name: 'staff' })).toBe('staff');
    expect(await sourceGroups.keep(OTHER, { subject: 'g3', name: 'admin' })).toBe('admin-2');
  });

  it('have the members of the source, and those that were added here', async () => {
    const { groups, users, sourceGroups } = administration;
    await keep('s1', 'carol');
    await groups.join('staff', 'alice');
    await sourceGroups.setMembersOf(OTHER, 'staff', ['alice', 'carol']);
    expect(await groups.members('staff')).toEqual(['alice', 'carol']);
    await expect(groups.leave('staff', 'carol')).rejects.toMatchObject({ reason: 'managed-elsewhere' });
    await sourceGroups.setMembersOf(OTHER, 'staff', []);
    expect(await groups.members('staff')).toEqual(['alice']);
    await keep('s1', 'carol', {}, ['staff-2', 'admin']);
    expect(await users.get('carol')).toMatchObject({ groups: ['admin', 'staff-2'], isAdmin: true });
    await keep('s1', 'carol', {}, ['staff-2']);
    expect((await users.get('carol')).isAdmin).toBe(false);
  });

  it('of a source are changed and removed only by the source', async () => {
    const { groups, sourceGroups } = administration;
    await expect(groups.join('staff-2', 'alice')).rejects.toMatchObject({ reason: 'managed-elsewhere' });
    await expect(groups.remove('staff-2')).rejects.toMatchObject({ reason: 'managed-elsewhere' });
    expect(await sourceGroups.remove(SOURCE, 'g1')).toBe(true);
    expect(await groups.exists('staff-2')).toBe(false);
  });
});
