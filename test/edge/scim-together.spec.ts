import { GROUP, ScimWorld, USER } from './scim-world';

let world: ScimWorld;
let ask: ScimWorld['ask'];
let make: ScimWorld['make'];
let patch: ScimWorld['patch'];
let one: ScimWorld['one'];

beforeAll(async () => {
  world = await ScimWorld.open('entra');
  ({ ask, make, patch, one } = world);
});
afterAll(() => world?.close());

const ROUNDS = Array.from({ length: 6 }, (_, round) => round);

describe('calls at the same time with the same If-Match', () => {
  const etagOf = async (path: string): Promise<string> => (await ask('GET', path)).headers.get('etag')!;
  const statusesOf = async (calls: readonly Promise<{ status: number }>[]): Promise<number[]> =>
    (await Promise.all(calls)).map(({ status }) => status).toSorted((one, other) => one - other);

  it('replace a user once', async () => {
    const { body } = await make('replaced');
    const path = `/Users/${body.id}`;
    for (const round of ROUNDS) {
      const headers = { 'if-match': await etagOf(path) };
      const put = (displayName: string) =>
        ask('PUT', path, { schemas: [USER], userName: 'replaced', displayName }, headers);
      const names = ['A', 'B', 'C', 'D'].map((name) => `${name} ${round}`);
      expect(await statusesOf(names.map(put))).toEqual([200, 412, 412, 412]);
    }
  });

  it('change, replace or delete a user', async () => {
    for (const round of ROUNDS) {
      const { body, headers } = await make(`contested-${round}`);
      const path = `/Users/${body.id}`;
      const condition = { 'if-match': headers.get('etag')! };
      const [first, ...others] = await statusesOf([
        ask('DELETE', path, undefined, condition),
        ask('PUT', path, { schemas: [USER], userName: `contested-${round}`, active: false }, condition),
      ]);
      expect([200, 204]).toContain(first);
      expect([404, 412]).toContain(others[0]);
    }
  });

  it('replace a group once', async () => {
    const { body } = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'contested' });
    const path = `/Groups/${body.id}`;
    for (const round of ROUNDS) {
      const headers = { 'if-match': await etagOf(path) };
      const put = (displayName: string) => ask('PUT', path, { schemas: [GROUP], displayName }, headers);
      const names = ['a', 'b', 'c', 'd'].map((name) => `${name}-${round}`);
      expect(await statusesOf(names.map(put))).toEqual([200, 412, 412, 412]);
    }
  });
});

describe('PATCHes of one name at the same time', () => {
  it('keep every part of it', async () => {
    for (const round of ROUNDS) {
      const { body } = await make(`named-${round}`, { name: { formatted: 'Before' } });
      const path = `/Users/${body.id}`;
      const parts = { givenName: 'Ada', middleName: 'King', familyName: 'Lovelace', honorificPrefix: 'Lady' };
      await Promise.all(
        Object.entries(parts).map(([part, value]) =>
          patch(path, { op: 'replace', path: `name.${part}`, value }),
        ),
      );
      expect((await ask('GET', path)).body.name).toEqual({ formatted: 'Before', ...parts });
    }
  });
});

describe('calls at the same time without If-Match', () => {
  it('replace a group as a whole: one of them has the last word', async () => {
    const names = ['ada', 'bob', 'cyd', 'dan'];
    const ids: string[] = [];
    for (const name of names) ids.push((await make(`whole-${name}`)).body.id);
    const [ada, bob, cyd, dan] = ids.map((value) => ({ value }));
    const { body } = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'whole' });
    const path = `/Groups/${body.id}`;
    for (const round of ROUNDS) {
      const wanted = [
        { displayName: `whole-${round}-a`, members: [ada, bob] },
        { displayName: `whole-${round}-b`, members: [cyd, dan] },
        { displayName: `whole-${round}-c`, members: [bob, cyd] },
        { displayName: `whole-${round}-d`, members: [dan] },
      ];
      const [first, ...others] = wanted;
      await Promise.all([
        patch(path, { op: 'replace', value: first }),
        ...others.map((content) => ask('PUT', path, { schemas: [GROUP], ...content })),
      ]);
      const now = (await ask('GET', path)).body;
      const winner = wanted.find(({ displayName }) => displayName === now.displayName)!;
      expect(now.members).toMatchObject(winner.members);
      expect(
        await one(
          `SELECT array_agg(r.id::text ORDER BY r.seq) FROM external_membership m JOIN scim_resource r ON r.uid = m.uid WHERE m.gid = 'whole'`,
        ),
      ).toEqual(winner.members.map((member) => member?.value));
    }
  });

  it('replace a user as a whole', async () => {
    const { body } = await make('whole-user');
    const path = `/Users/${body.id}`;
    for (const round of ROUNDS) {
      const wanted = ['a', 'b', 'c', 'd'].map((letter, index) => ({
        ...{ displayName: `${letter} ${round}`, externalId: `${letter}-${round}` },
        ...{ active: index % 2 === 0, emails: [{ value: `${letter}@example.org` }] },
      }));
      const [first, ...others] = wanted;
      await Promise.all([
        patch(path, { op: 'replace', value: first }),
        ...others.map((content) => ask('PUT', path, { schemas: [USER], userName: 'whole-user', ...content })),
      ]);
      const now = (await ask('GET', path)).body;
      const winner = wanted.find(({ externalId }) => externalId === now.externalId);
      expect(now).toMatchObject(winner!);
    }
  });
});

describe('a call that breaks off in the middle', () => {
  /** The status of a call while the database refuses a change. */
  const statusWithout = async (
    event: string,
    call: () => Promise<{ status: number }>,
    when = 'true',
  ): Promise<number> => {
    const query = (sql: string) => world.test.database.dataSource.query(sql);
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refused BEFORE ${event} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`);
    try {
      return (await call()).status;
    } finally {
      await query('DROP FUNCTION refuse CASCADE');
    }
  };

  it('makes no account that is not disabled yet', async () => {
    const call = () => make('sleeper', { active: false });
    expect(await statusWithout('UPDATE OF enabled ON user_account', call)).toBe(500);
    expect(await one(`SELECT count(*) FROM user_account WHERE uid = 'sleeper'`)).toBe(0);
    expect(await call()).toMatchObject({ status: 201, body: { active: false } });
    const { id } = (await call()).body;
    expect([id, await one(`SELECT enabled FROM user_account WHERE uid = 'sleeper'`)]).toEqual([
      undefined,
      false,
    ]);
  });

  it('makes no group without its members', async () => {
    const { body } = await make('only-member');
    const members = [{ value: body.id as string }];
    const call = () => ask('POST', '/Groups', { schemas: [GROUP], displayName: 'full', members });
    expect(await statusWithout('INSERT ON external_membership', call)).toBe(500);
    expect(await one(`SELECT count(*) FROM user_group WHERE gid = 'full'`)).toBe(0);
    expect(await call()).toMatchObject({ status: 201, body: { members } });
  });

  it('ends no account that the client still sees', async () => {
    const { body, headers } = await make('leaving');
    const call = () => ask('DELETE', `/Users/${body.id}`, undefined, { 'if-match': headers.get('etag')! });
    expect(await statusWithout('UPDATE ON scim_resource', call, 'NEW.ended_at IS NOT NULL')).toBe(500);
    expect(await one(`SELECT enabled FROM user_account WHERE uid = 'leaving'`)).toBe(true);
    expect(await one(`SELECT count(*) FROM account_end WHERE uid = 'leaving'`)).toBe(0);
    expect(await statusWithout('INSERT ON account_end', call)).toBe(500);
    expect((await ask('GET', `/Users/${body.id}`)).body).toEqual(body);
    expect((await call()).status).toBe(204);
    expect((await ask('GET', `/Users/${body.id}`)).status).toBe(404);
  });

  it('changes no group that it does not remove', async () => {
    const group = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'leaving' });
    const { body, headers } = group;
    const call = () => ask('DELETE', `/Groups/${body.id}`, undefined, { 'if-match': headers.get('etag')! });
    expect(await statusWithout('DELETE ON user_group', call)).toBe(500);
    expect((await ask('GET', `/Groups/${body.id}`)).body).toEqual(body);
    expect((await call()).status).toBe(204);
    expect((await ask('GET', `/Groups/${body.id}`)).status).toBe(404);
  });

  it('restores no account that it does not change', async () => {
    const { body } = await make('returning');
    await ask('DELETE', `/Users/${body.id}`);
    const call = () => make('returning', { active: false, displayName: 'Is back' });
    expect(await statusWithout('UPDATE OF display_name ON user_account', call)).toBe(500);
    expect((await ask('GET', `/Users/${body.id}`)).status).toBe(404);
    expect(await one(`SELECT enabled FROM user_account WHERE uid = 'returning'`)).toBe(false);
    expect(await one(`SELECT count(*) FROM account_end WHERE uid = 'returning'`)).toBe(1);
    expect(await call()).toMatchObject({
      status: 201,
      body: { id: body.id, active: false, displayName: 'Is back' },
    });
  });
});
