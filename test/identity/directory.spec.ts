import { accountEndsOn, ldapSyncOn } from '#identity';
import { readConfig } from '#platform';
import { basicAuth, createTestDatabase, startGateway, type TestDatabase, type TestGateway } from '#testing';
import { group, GROUPS, PEOPLE, person, placeOf, Slapd } from '../../libs/testing/src/rigs/slapd';

const NAMES = Array.from({ length: 200 }, (_, number) => `person${String(number).padStart(3, '0')}`);

let slapd: Slapd;
let test: TestDatabase;
let gateway: TestGateway;
let env: Record<string, string>;

beforeAll(async () => {
  slapd = await Slapd.start([
    ...NAMES.map((name) => person(name)),
    group('staff', ['person000', 'person001', 'cn=crew']),
    group('crew', ['person002', 'cn=staff']),
    group('bosses', ['person003']),
  ]);
  test = await createTestDatabase();
  env = {
    ...slapd.env,
    LDAP_ADMIN_GROUPS: 'bosses',
    LDAP_USER_FILTER: '(&(objectClass=inetOrgPerson)(!(employeeType=former)))',
  };
  gateway = await startGateway({ databaseUrl: test.url, env });
  expect(await sync()).toMatchObject({ failure: null, heldBack: null, people: 200, groups: 3, refused: 0 });
});
afterAll(async () => {
  await gateway?.stop();
  await slapd?.stop();
  await test.drop();
});

const syncOf = (more: Record<string, string> = {}) =>
  ldapSyncOn(test.database, readConfig({ ...env, ...more }))!;
const sync = (more?: Record<string, string>, greatestLoss?: number) => syncOf(more).runFully(greatestLoss);

const query = (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  test.database.dataSource.query(sql, values);
const one = async (sql: string, ...values: unknown[]): Promise<unknown> =>
  Object.values((await query(sql, ...values))[0] ?? {})[0];
const membersOf = async (gid: string): Promise<unknown[]> =>
  (await query('SELECT uid FROM group_member WHERE gid = $1 ORDER BY uid', gid)).map(({ uid }) => uid);

/** HTTP status of a request with this password. */
const signIn = async (uid: string, password: string): Promise<number> =>
  (
    await fetch(`${gateway.url}/remote.php/dav/files/${uid}/`, {
      method: 'PROPFIND',
      headers: { authorization: basicAuth(uid, password), depth: '0' },
    })
  ).status;

describe('people and groups of a directory', () => {
  it('get accounts and groups, also members of nested groups', async () => {
    expect(await one(`SELECT count(*)::int FROM external_identity WHERE kind = 'ldap'`)).toBe(200);
    expect(await query(`SELECT display_name, email FROM user_account WHERE uid = 'person007'`)).toEqual([
      { display_name: 'PERSON007', email: 'person007@example.org' },
    ]);
    const everybody = ['person000', 'person001', 'person002'];
    expect([await membersOf('staff'), await membersOf('crew')]).toEqual([everybody, everybody]);
    expect(await membersOf('admin')).toEqual(['admin', 'person003']);
  });

  it('sign in at the directory, and with no other password', async () => {
    expect(await signIn('person000', 'password-of-person000')).toBe(207);
    expect(await signIn('person000', 'password-of-person001')).toBe(401);
    expect(await signIn('person000', '')).toBe(401);
    expect(await signIn('person001', ' ')).toBe(401);
  });
});

describe('changes of a directory', () => {
  const changes = () => syncOf().runDue();

  it('are read without the other entries, with the groups of changed and new people', async () => {
    slapd.modify(
      `dn: ${placeOf('person010')}\nchangetype: modify\nreplace: cn\ncn: A new name\n`,
      `${person('newcomer').replace('\n', '\nchangetype: add\n')}`,
      `dn: cn=bosses,${GROUPS}\nchangetype: modify\nadd: member\nmember: ${placeOf('newcomer')}\n`,
    );
    await changes();
    expect(await one(`SELECT display_name FROM user_account WHERE uid = 'person010'`)).toBe('A new name');
    expect(await membersOf('bosses')).toEqual(['newcomer', 'person003']);
    expect(await membersOf('admin')).toEqual(['admin', 'newcomer', 'person003']);
    slapd.modify(
      `dn: cn=bosses,${GROUPS}\nchangetype: modify\ndelete: member\nmember: ${placeOf('newcomer')}\n`,
    );
    await changes();
    expect(await membersOf('admin')).toEqual(['admin', 'person003']);
  });

  it('of a name keep the account, and the next owner of the name gets another one', async () => {
    slapd.modify(
      `dn: ${placeOf('person011')}\nchangetype: modrdn\nnewrdn: uid=married\ndeleteoldrdn: 1\n`,
      `${person('person011', 'description: another person\n').replace('\n', '\nchangetype: add\n')}`,
      `dn: cn=crew,${GROUPS}\nchangetype: modify\nadd: member\nmember: uid=Married, ${PEOPLE.replace('ou', 'OU')}\n`,
    );
    await changes();
    expect(await membersOf('crew')).toContain('person011');
    expect(await one(`SELECT count(*)::int FROM user_account WHERE uid = 'person011-2'`)).toBe(1);
    expect(await signIn('person011', 'password-of-person011')).toBe(207);
    slapd.modify(
      `dn: ${placeOf('person011')}\nchangetype: modify\nreplace: userPassword\nuserPassword: of the second\n`,
    );
    expect(await signIn('person011-2', 'of the second')).toBe(207);
    expect(await signIn('person011', 'of the second')).toBe(401);
  });

  it('cause no writes if nothing changed', async () => {
    const before = await query(`SELECT uid, xmin::text FROM user_account ORDER BY uid`);
    await sync();
    expect(await query(`SELECT uid, xmin::text FROM user_account ORDER BY uid`)).toEqual(before);
  });
});

describe('people who left the directory', () => {
  const stateOf = async (uid: string) =>
    (
      await query(
        `SELECT enabled, (SELECT count(*)::int FROM account_end e WHERE e.uid = a.uid) AS ending FROM user_account a WHERE uid = $1`,
        uid,
      )
    )[0];

  const leave = (uid: string) => {
    slapd.modify(`dn: ${placeOf(uid)}\nchangetype: modify\nadd: employeeType\nemployeeType: former\n`);
    return sync();
  };
  const comeBack = (uid: string, more: Record<string, string> = {}) => {
    slapd.modify(`dn: ${placeOf(uid)}\nchangetype: modify\ndelete: employeeType\n`);
    return sync(more);
  };

  it('are disabled and end after the grace time; before that they can return unchanged', async () => {
    const entry = person('leaver').replace('\n', '\nchangetype: add\n');
    slapd.modify(entry);
    await sync();
    expect(await signIn('leaver', 'password-of-leaver')).toBe(207);
    await leave('leaver');
    expect(await stateOf('leaver')).toEqual({ enabled: false, ending: 1 });
    expect(await signIn('leaver', 'password-of-leaver')).toBe(401);
    await comeBack('leaver');
    expect(await stateOf('leaver')).toEqual({ enabled: true, ending: 0 });
    expect(await signIn('leaver', 'password-of-leaver')).toBe(207);
  });

  it('keep the end that an operator requested, and are enabled when it is undone after their return', async () => {
    slapd.modify(person('traveller').replace('\n', '\nchangetype: add\n'));
    await sync();
    const ends = accountEndsOn(test.database);
    await ends.request('traveller', { graceDays: 9 });
    await leave('traveller');
    expect(await stateOf('traveller')).toEqual({ enabled: false, ending: 1 });
    await comeBack('traveller');
    expect(await stateOf('traveller')).toEqual({ enabled: false, ending: 1 });
    await ends.undo('traveller');
    expect(await stateOf('traveller')).toEqual({ enabled: true, ending: 0 });
  });

  it('keep the end that an operator requested after the end of the directory had been undone', async () => {
    slapd.modify(person('wanderer').replace('\n', '\nchangetype: add\n'));
    await sync();
    await leave('wanderer');
    const ends = accountEndsOn(test.database);
    await ends.undo('wanderer');
    await ends.request('wanderer', { graceDays: 9 });
    await comeBack('wanderer');
    expect(await stateOf('wanderer')).toEqual({ enabled: false, ending: 1 });
  });

  it('are a loss of one reading only, whoever requested their end', async () => {
    const parted = NAMES.slice(-6);
    for (const uid of parted) await accountEndsOn(test.database).request(uid, { graceDays: 9 });
    for (const uid of parted) await leave(uid);
    expect((await sync({}, 0)).heldBack).toBeNull();
  });

  it('are enabled if they are back after a reading that broke off', async () => {
    await query(`UPDATE external_identity SET disabled_at = now() WHERE uid = 'person020'`);
    await query(`UPDATE user_account SET enabled = false WHERE uid IN ('person020', 'person021')`);
    await sync();
    expect(await stateOf('person020')).toEqual({ enabled: true, ending: 0 });
    expect(await stateOf('person021')).toEqual({ enabled: false, ending: 0 });
  });

  it('can return when gone people are only disabled by now', async () => {
    slapd.modify(person('returner').replace('\n', '\nchangetype: add\n'));
    await sync();
    await leave('returner');
    await comeBack('returner', { LDAP_GONE_ACCOUNTS: 'disable' });
    expect(await stateOf('returner')).toEqual({ enabled: true, ending: 0 });
  });
});
