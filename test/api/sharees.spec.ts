import { SharingWorld } from './sharing-world';

interface Entry {
  readonly label: string;
  readonly value: Readonly<Record<string, unknown>>;
}
type Lists = Readonly<Record<'users' | 'groups' | 'remotes', Entry[]>>;
type Found = Lists & { readonly exact: Lists };

const SHAREES = '/apps/files_sharing/api/v1/sharees';
const EMPTY: Found = {
  exact: { users: [], groups: [], remotes: [] },
  ...{ users: [], groups: [], remotes: [] },
};

describe('the search for recipients', () => {
  let world: SharingWorld;
  beforeAll(async () => {
    world = await SharingWorld.start({ env: { PUBLIC_URL: 'https://cloud.example.org:8443' } });
    await world.addUser('alice');
    await world.addUser('bobby', { display: 'Bob Builder', email: 'bob@cloud.example.org' });
    await world.addUser('barbara', { display: 'Bärbel Größe' });
    await world.addGroup('builders', 'bobby');
    await world.addGroup('Bakers', 'alice');
  });
  afterAll(() => world.stop());

  const search = async (query: Record<string, string>, as = 'alice'): Promise<Found> => {
    const asked = new URLSearchParams({ itemType: 'file', ...query }).toString();
    const reply = await world.ocs('GET', SHAREES, { as, query: asked });
    expect(reply).toMatchObject({ code: 100, message: 'OK' });
    return reply.data as Found;
  };
  const uidsOf = (entries: Entry[]): unknown[] => entries.map(({ value }) => value.shareWith);
  const during = async (settings: Record<string, string>, work: () => Promise<void>): Promise<void> => {
    const names = Object.keys(settings).map((name) => name.split('/') as [string, string]);
    try {
      for (const [app, key] of names) await world.set(app, key, settings[`${app}/${key}`]!);
      await work();
    } finally {
      for (const [app, key] of names) await world.unset(app, key);
    }
  };

  it('finds parts of ids, names and addresses regardless of case', async () => {
    for (const part of ['OBB', 'b bui', 'B@CLOUD'])
      expect(await search({ search: part })).toEqual({
        ...EMPTY,
        users: [{ label: 'Bob Builder', value: { shareType: 0, shareWith: 'bobby', userType: 0 } }],
        ...(part === 'B@CLOUD'
          ? {
              exact: { ...EMPTY.exact, remotes: [{ label: part, value: { shareType: 6, shareWith: part } }] },
            }
          : {}),
      });
    expect(uidsOf((await search({ search: 'GRÖSS' })).users)).toEqual([]);
    expect(uidsOf((await search({ search: 'ÄRB' })).users)).toEqual(['barbara']);
    expect(uidsOf((await search({ search: 'akers' })).groups)).toEqual(['Bakers']);
  });

  it('treats wildcards of the database as plain characters', async () => {
    for (const text of ['%', '%%%', '___', '\\\\\\', "'''"])
      expect(await search({ search: text })).toEqual(EMPTY);
  });

  it('marks whole ids, names and addresses as exact', async () => {
    for (const whole of ['BOBBY', 'bob builder']) {
      const { exact, users } = await search({ search: whole });
      expect({ exact: uidsOf(exact.users), users }).toEqual({ exact: ['bobby'], users: [] });
    }
    expect(uidsOf((await search({ search: 'bakers' })).exact.groups)).toEqual(['Bakers']);
  });

  it('offers a typed federated cloud id, but not the sign-in name of a user found here', async () => {
    const remote = { label: 'zoe@other.example', value: { shareType: 6, shareWith: 'zoe@other.example' } };
    expect(await search({ search: 'zoe@other.example' })).toEqual({
      ...EMPTY,
      exact: { ...EMPTY.exact, remotes: [remote] },
    });
    expect((await search({ search: 'bob@cloud.example.org' })).exact).toMatchObject({
      users: [{ label: 'Bob Builder' }],
      remotes: [],
    });
    expect((await search({ search: 'zoe@cloud.example.org' })).exact.remotes).toHaveLength(1);
    expect((await search({ search: 'zoe@other.example', itemType: 'calendar' })).exact.remotes).toEqual([]);
    expect((await search({ search: 'zoe@other.example', page: '2' })).exact.remotes).toEqual([]);
    await during({ 'files_sharing/outgoing_server2server_share_enabled': 'no' }, async () => {
      expect((await search({ search: 'zoe@other.example' })).exact.remotes).toEqual([]);
    });
  });

  it('cuts each kind into pages', async () => {
    const page = async (number: number): Promise<unknown[]> => {
      const { users, groups } = await search({ search: 'b', page: String(number), perPage: '1' });
      return [...uidsOf(users), ...uidsOf(groups)];
    };
    await during({ 'system/user.search_min_length': '1' }, async () => {
      expect([await page(1), await page(2), await page(3)]).toEqual([
        ['bobby', 'Bakers'],
        ['barbara', 'builders'],
        [],
      ]);
    });
  });

  it('searches the requested types', async () => {
    const found = async (type: Record<string, string>): Promise<number[]> => {
      const { users, groups } = await search({ search: 'bu', ...type });
      return [users.length, groups.length];
    };
    expect(await found({ shareType: '0' })).toEqual([1, 0]);
    expect(await found({ 'shareType[]': '1' })).toEqual([0, 1]);
    expect(await found({ 'shareType[]': '6' })).toEqual([0, 0]);
    expect(await found({ shareType: 'all' })).toEqual([1, 1]);
  });

  it('finds people who do not want to be listed only by a whole name', async () => {
    await world.gateway.instance.app.nest
      .get((await import('#identity')).UserAccounts, { strict: false })
      .setPreference('barbara', 'files_sharing', 'allow_share_dialog_user_enumeration', 'no');
    expect(uidsOf((await search({ search: 'barba' })).users)).toEqual([]);
    expect(uidsOf((await search({ search: 'barbara' })).exact.users)).toEqual(['barbara']);
  });

  it('adds information to people with the same name', async () => {
    const infoOf = async (uid: string): Promise<unknown> =>
      (await search({ search: uid })).exact.users[0]!.value.shareWithAdditionalInfo;
    await during({ 'core/user_additional_info_field': 'email' }, async () => {
      expect([await infoOf('bobby'), await infoOf('alice')]).toEqual(['bob@cloud.example.org', undefined]);
    });
    await during({ 'core/user_additional_info_field': 'id' }, async () => {
      expect(await infoOf('alice')).toBe('alice');
    });
  });

  it('never offers blacklisted groups', async () => {
    await during({ 'files_sharing/blacklisted_receiver_groups': '["builders"]' }, async () => {
      expect(await search({ search: 'builders', shareType: '1' })).toEqual(EMPTY);
      expect(await search({ search: 'build', shareType: '1' })).toEqual(EMPTY);
    });
  });

  it('leaves out the type of user for a match of the whole id', async () => {
    await during({ 'core/shareapi_share_dialog_user_enumeration_group_members': 'yes' }, async () => {
      expect((await search({ search: 'bobby' })).exact.users).toEqual([
        { label: 'Bob Builder', value: { shareType: 0, shareWith: 'bobby' } },
      ]);
      expect(await search({ search: 'Bob Builder' })).toEqual(EMPTY);
    });
  });

  it.each([
    [{ perPage: '0', page: '0' }, 'Invalid perPage argument'],
    [{ perPage: 'x' }, 'Invalid perPage argument'],
    [{ page: '-1' }, 'Invalid page'],
    [{ page: '' }, 'Invalid page'],
    [{}, 'Missing itemType'],
  ])('refuses %j: %s', async (query, message) => {
    const reply = await world.ocs('GET', SHAREES, {
      as: 'alice',
      query: new URLSearchParams(query).toString(),
    });
    expect(reply).toMatchObject({ code: 400, message, data: [] });
  });

  it('answers searches of any length', async () => {
    expect(await search({ search: 'x'.repeat(5000) })).toEqual(EMPTY);
    expect(await search({ search: 'bob', page: '9007199254740991', perPage: '9007199254740991' })).toEqual(
      EMPTY,
    );
  });
});
