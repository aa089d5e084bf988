import type { SearchScope } from '#sharing';
import { pastTriggers } from '../../../../testing/src/rigs/past-triggers';
import { countStatements } from '../../../../testing/src/rigs/statement-count';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { ShareeRepository } from './sharee.repository';
import { SEARCH } from './sharee-statements';

const ANYWHERE: SearchScope = { parts: true, names: true, within: undefined, idsAnywhere: true };

let test: TestDatabase;
let sharees: ShareeRepository;
beforeAll(async () => {
  test = await createTestDatabase();
  sharees = new ShareeRepository(test.database);
  await run(
    pastTriggers(`INSERT INTO user_account (uid, display_name, email, password_hash)
     SELECT 'user' || lpad(i::text, 5, '0'), initcap(md5(i::text)), CASE WHEN i % 2 = 0 THEN 'u' || i || '@example.org' END, 'x'
     FROM generate_series(1, 10000) AS i`),
  );
  await run(`INSERT INTO user_account (uid, display_name, email, password_hash) VALUES
    ('Anna', 'Ann Ä%_\\\\ Lee', 'ann@example.org', 'x'), ('annex', 'anna', NULL, 'x'), ('hidden.ann', 'Hidden', NULL, 'x'),
    ('qx', 'Zoltan', NULL, 'x'), ('aaa', 'qx', NULL, 'x')`);
  await run(
    `INSERT INTO user_group (gid) VALUES ('Staff'), ('staff'), ('Staffel'), ('Ärzte'), ('IT'), ('it')`,
  );
  await run(`INSERT INTO group_member (gid, uid) VALUES ('Staff', 'annex')`);
  await run(
    `INSERT INTO user_preference VALUES ('hidden.ann', 'files_sharing', 'allow_share_dialog_user_enumeration', 'no')`,
  );
  await run(`INSERT INTO peer (host_key) VALUES ('one.example'), ('two.example:8443')`);
  await run(`INSERT INTO contact (uid, peer_id, remote_user, person, display_name, email)
    SELECT uid, p.id, remote_user, person, display_name, email FROM (VALUES
      ('Anna', 'one.example', 'zoe', NULL, 'Zoë 100%', 'zoe@mail.example'), ('annex', 'one.example', 'zoran', NULL, 'Zoran', ''),
      ('Anna', 'two.example:8443', 'em9laXN0aWVy', '4711-zoe', 'Bert', ''), ('Anna', 'one.example', 'nameless', NULL, '', '')
    ) AS c (uid, host, remote_user, person, display_name, email) JOIN peer p ON p.host_key = host`);
  await run('ANALYZE');
});
afterAll(() => test.drop());

const run = <Row = unknown>(sql: string): Promise<Row[]> => test.database.dataSource.query<Row[]>(sql);
const users = async (search: string, scope: Partial<SearchScope> = {}, limit = 200, offset = 0) => {
  const page = await sharees.users({ search, scope: { ...ANYWHERE, ...scope }, limit, offset });
  return { exact: page.exact.map(({ uid }) => uid), parts: page.parts.map(({ uid }) => uid) };
};
const NOTHING = {
  users: undefined,
  groups: undefined,
  contacts: undefined,
  addressBooks: false,
  exceptGroups: [],
  uid: 'Anna',
};
const groups = async (search: string, scope: Partial<SearchScope> = {}, exceptGroups: string[] = []) => {
  const wanted = { ...NOTHING, groups: { ...ANYWHERE, ...scope }, exceptGroups };
  return (await sharees.search({ ...wanted, search, limit: 200, offset: 0 })).groups;
};

describe('a search among users', () => {
  it('distinguishes whole matches from parts, ids first, however short they are', async () => {
    expect((await users('qx', {}, 1)).exact).toEqual(['qx']);
    expect(await users('anna')).toEqual({ exact: ['Anna', 'annex'], parts: [] });
    expect(await users('ann')).toEqual({ exact: [], parts: ['Anna', 'annex'] });
    expect(await users('hidden.ann')).toEqual({ exact: ['hidden.ann'], parts: [] });
    expect(await users('ANN@EXAMPLE.ORG')).toEqual({ exact: ['Anna'], parts: [] });
  });

  it.each(['ä', 'ä%', '%_', '\\\\', 'Ä%_', 'n ä%_\\\\ l'])('treats %j as plain text', async (search) => {
    expect((await users(search)).parts).toEqual(['Anna']);
  });

  it.each(['%', 'anna ', 'lee\nann', 'anna\nann'])('finds none in %j', async (search) => {
    expect((await users(search)).parts).toEqual(search === '%' ? ['Anna'] : []);
  });

  it('can be limited to groups, with or without whole ids elsewhere', async () => {
    expect(await users('ann', { within: ['Staff'] })).toEqual({ exact: [], parts: ['annex'] });
    expect(await users('anna', { within: ['Staff'] })).toEqual({ exact: ['Anna', 'annex'], parts: [] });
    expect(await users('anna', { within: ['Staff'], idsAnywhere: false })).toEqual({
      exact: ['annex'],
      parts: [],
    });
    expect(await users('ann@example.org', { within: ['Staff'] })).toEqual({ exact: [], parts: [] });
    expect(await users('an', { within: [] })).toEqual({ exact: [], parts: [] });
  });

  it('finds whole ids only, if names are excluded', async () => {
    expect(await users('anna', { names: false, parts: false })).toEqual({ exact: ['Anna'], parts: [] });
  });

  it('goes through all pages in one order', async () => {
    const pages = await Promise.all([0, 40, 80].map((offset) => users('user0001', {}, 40, offset)));
    const seen = pages.flatMap(({ parts }) => parts);
    expect(seen).toHaveLength(10);
    const small = await Promise.all([0, 4, 8, 12].map((offset) => users('user0001', {}, 4, offset)));
    expect(small.flatMap(({ parts }) => parts)).toEqual(seen);
    expect(new Set(seen).size).toBe(10);
  });

  it('uses the index from three characters on, with a generic plan', async () => {
    const { text, order } = SEARCH.indexed.anywhere.withoutCards;
    const values = order.map((name) => ({ search: "'zzz'", limit: '200', offset: '0' })[name] ?? 'NULL');
    const connection = test.database.dataSource.createQueryRunner();
    await connection.query('SET plan_cache_mode = force_generic_plan');
    await connection.query(`PREPARE search_plan AS ${text}`);
    const plan = (await connection.query(`EXPLAIN EXECUTE search_plan(${values.join()})`)) as {
      'QUERY PLAN': string;
    }[];
    await connection.query('DEALLOCATE search_plan; RESET plan_cache_mode');
    await connection.release();
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('user_account_search');
  });

  it('costs one statement whatever it finds', async () => {
    for (const search of ['user', 'anna', 'nobody', 'us'])
      expect(await countStatements(test.database, () => users(search))).toBe(1);
  });
});

describe('a search among groups', () => {
  it('distinguishes whole matches from parts, and spellings of ids where names do not count', async () => {
    expect(await groups('staff')).toEqual({ exact: ['staff', 'Staff'], parts: ['Staffel'] });
    expect(await groups('Staff')).toEqual({ exact: ['Staff', 'staff'], parts: ['Staffel'] });
    const first = { ...NOTHING, groups: ANYWHERE, search: 'it', limit: 1, offset: 0 };
    expect((await sharees.search(first)).groups.exact).toEqual(['it']);
    expect(await groups('staff', { names: false, parts: false })).toEqual({ exact: ['staff'], parts: [] });
    expect(await groups('ÄRZ')).toEqual({ exact: [], parts: ['Ärzte'] });
  });

  it('keeps to own groups, with or without whole ids elsewhere, and never lists excepted ones', async () => {
    expect(await groups('staff', { within: ['Staff'] })).toEqual({ exact: ['staff', 'Staff'], parts: [] });
    expect(await groups('staff', { within: ['Staff'], idsAnywhere: false })).toEqual({
      exact: ['Staff'],
      parts: [],
    });
    expect(await groups('staff', {}, ['staff', 'Staffel'])).toEqual({ exact: ['Staff'], parts: [] });
  });
});

describe('a search among the contacts of a user at other servers', () => {
  const contacts = async (search: string, scope: Partial<SearchScope> = {}, limit = 200, offset = 0) => {
    const wanted = { ...NOTHING, contacts: { ...ANYWHERE, ...scope } };
    const { contacts: page } = await sharees.search({ ...wanted, search, limit, offset });
    return {
      exact: page.exact.map(({ cloudId }) => cloudId),
      parts: page.parts.map(({ cloudId }) => cloudId),
    };
  };
  const ZOE = 'zoe@one.example';
  const BERT = 'em9laXN0aWVy@two.example:8443';
  const NAMELESS = 'nameless@one.example';

  it('finds them by parts of their name, address and plain id, and never those of others', async () => {
    expect(await contacts('zo')).toEqual({ exact: [], parts: [BERT, ZOE] });
    expect(await contacts('100%')).toEqual({ exact: [], parts: [ZOE] });
    expect(await contacts('mail.ex')).toEqual({ exact: [], parts: [ZOE] });
    expect(await contacts('zoran')).toEqual({ exact: [], parts: [] });
    expect(await contacts('em9l')).toEqual({ exact: [], parts: [] });
  });

  it.each(['zoë 100%', 'ZOE@mail.example', 'Zoe@One.example'])(
    'marks the whole %j as exact',
    async (search) => {
      expect(await contacts(search)).toEqual({ exact: [ZOE], parts: [] });
    },
  );

  it.each([BERT, '4711-ZOE@two.example:8443'])('knows an id in each of its spellings: %s', async (search) => {
    expect(await contacts(search, { names: false, parts: false })).toEqual({ exact: [BERT], parts: [] });
    const first = { ...NOTHING, contacts: ANYWHERE, search, limit: 1, offset: 0 };
    expect((await sharees.search(first)).contacts.exact).toEqual([
      {
        ...{ cloudId: BERT, server: 'two.example:8443', displayName: 'Bert', email: '' },
        ...{ organisation: '', isVerified: true, byId: true },
      },
    ]);
  });

  it('finds ids only if names are excluded, and all of them by an empty text, page by page', async () => {
    expect(await contacts('Bert', { names: false, parts: false })).toEqual({ exact: [], parts: [] });
    expect(await contacts('', {}, 2)).toEqual({ exact: [], parts: [NAMELESS, BERT] });
    expect(await contacts('', {}, 2, 2)).toEqual({ exact: [], parts: [ZOE] });
  });

  it('costs one statement whatever it finds', async () => {
    for (const search of ['zoe', 'nobody'])
      expect(await countStatements(test.database, () => contacts(search))).toBe(1);
  });
});
