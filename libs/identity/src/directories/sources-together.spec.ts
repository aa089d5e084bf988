import { createTestDatabase, type TestDatabase } from '#testing';
import { accountEndsOn, administrationOn } from '../administration';
import type { IdentitySource } from './identity-source';

const SOURCE: IdentitySource = {
  kind: 'oidc',
  source: 'https://id.example',
  manages: [],
  takenNames: 'suffix',
  groupsOfSameName: 'merge',
};
const OTHER: IdentitySource = { ...SOURCE, kind: 'ldap', source: 'directory' };
const PEOPLE = Array.from({ length: 20 }, (_, number) => `person-${number}`);

let test: TestDatabase;
let administration: ReturnType<typeof administrationOn>;

beforeEach(async () => {
  test = await createTestDatabase();
  administration = administrationOn(test.database, { COMPATIBILITY: 'documented' });
  const { sourceAccounts } = administration;
  for (const uid of PEOPLE) {
    await sourceAccounts.keep(SOURCE, { subject: uid, name: uid });
    await sourceAccounts.attach(OTHER, uid, uid);
  }
});
afterEach(() => test.drop());

const query = (sql: string): Promise<Record<string, unknown>[]> => test.database.dataSource.query(sql);

describe('memberships that two sources give', () => {
  const groupOf = (uid: string): string => `group-of-${uid}`;
  beforeEach(async () => {
    const { sourceGroups } = administration;
    for (const uid of PEOPLE)
      for (const source of [SOURCE, OTHER])
        await sourceGroups.keep(source, { subject: uid, name: groupOf(uid) });
  });
  const set = (source: IdentitySource, uid: string, uids: readonly string[]) =>
    administration.sourceGroups.setMembersOf(source, groupOf(uid), uids);

  it('end when both take them at the same time', async () => {
    for (const uid of PEOPLE) for (const source of [SOURCE, OTHER]) await set(source, uid, [uid]);
    await Promise.all(PEOPLE.flatMap((uid) => [set(SOURCE, uid, []), set(OTHER, uid, [])]));
    expect(await query('SELECT gid FROM group_member')).toEqual([]);
  });

  it('stay when one gives them while the other takes them', async () => {
    for (const uid of PEOPLE) await set(OTHER, uid, [uid]);
    await Promise.all(PEOPLE.flatMap((uid) => [set(OTHER, uid, []), set(SOURCE, uid, [uid])]));
    expect(await query('SELECT DISTINCT kind FROM external_membership')).toEqual([{ kind: 'oidc' }]);
    expect(await query('SELECT uid FROM group_member')).toHaveLength(PEOPLE.length);
  });

  it('stay when an operator ends them in the moment in which a source gives them', async () => {
    const [uid] = PEOPLE as [string];
    const { groups } = administration;
    const { database } = test;
    const run = database.transaction.bind(database);
    // The operator's transaction begins when that of the source is done.
    database.transaction = async (...work) => {
      database.transaction = run;
      await set(SOURCE, uid, [uid]);
      return run(...work);
    };
    await expect(groups.leave(groupOf(uid), uid)).rejects.toMatchObject({ reason: 'managed-elsewhere' });
    expect(await query('SELECT uid FROM group_member')).toEqual([{ uid }]);
    expect(await query('SELECT uid FROM external_membership')).toEqual([{ uid }]);
  });
});

describe('accounts that are enabled and disabled at the same time', () => {
  const enabled = async (): Promise<unknown[]> =>
    (await query('SELECT uid FROM user_account WHERE enabled')).map(({ uid }) => uid);

  it('are enabled by the last of their sources', async () => {
    const { sourceAccounts } = administration;
    const both = (work: (source: IdentitySource, uid: string) => Promise<unknown>) =>
      Promise.all(PEOPLE.flatMap((uid) => [work(SOURCE, uid), work(OTHER, uid)]));
    await both((source, uid) => sourceAccounts.disable(source, uid));
    expect(await enabled()).toEqual([]);
    await both((source, uid) => sourceAccounts.enable(source, uid));
    expect(await enabled()).toHaveLength(PEOPLE.length);
  });

  it('stay disabled if an operator disables them or requests their end', async () => {
    const { sourceAccounts, users } = administration;
    const ends = accountEndsOn(test.database);
    const [ending, disabled] = [PEOPLE.slice(0, 10), PEOPLE.slice(10)];
    for (const uid of PEOPLE) await sourceAccounts.disable(SOURCE, uid);
    await Promise.all([
      ...PEOPLE.map((uid) => sourceAccounts.enable(SOURCE, uid)),
      ...ending.map((uid) => ends.request(uid, {})),
      ...disabled.map((uid) => users.setEnabled(uid, false)),
    ]);
    expect(await enabled()).toEqual([]);
    for (const uid of ending) await ends.undo(uid);
    expect(await enabled()).toHaveLength(ending.length);
  });

  it('are disabled by a source while an operator undoes their end or enables them', async () => {
    const { sourceAccounts, users } = administration;
    const ends = accountEndsOn(test.database);
    const [ending, disabled] = [PEOPLE.slice(0, 10), PEOPLE.slice(10)];
    for (const uid of ending) await ends.request(uid, {});
    for (const uid of disabled) await sourceAccounts.disable(OTHER, uid);
    for (const uid of disabled) await sourceAccounts.enable(OTHER, uid);
    await Promise.allSettled([
      ...PEOPLE.map((uid) => sourceAccounts.disable(SOURCE, uid)),
      ...ending.map((uid) => ends.undo(uid)),
      ...disabled.map((uid) => users.setEnabled(uid, true)),
    ]);
    expect(await enabled()).toEqual([]);
    for (const uid of PEOPLE) await sourceAccounts.enable(SOURCE, uid);
    expect(await enabled()).toHaveLength(PEOPLE.length);
  });
});
