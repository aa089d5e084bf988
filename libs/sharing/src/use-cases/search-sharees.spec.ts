import { parseCloudId } from '#federation/protocol';
import { policyFrom } from '../domain/policy';
import type { FoundContact, FoundUser, ShareeSearch } from '../ports/sharee-directory';
import { searchSharees, type SearchShareesCommand, type SearchShareesPorts } from './search-sharees';

const BOB: FoundUser = { uid: 'bob', displayName: 'Bob', email: null, withinScope: true };
const ALAN: FoundContact = {
  ...{
    cloudId: 'alan@y.example',
    server: 'y.example',
    displayName: 'Alan Turing',
    email: 'alan@mail.example',
    organisation: '',
    isVerified: true,
    byId: false,
  },
};
const NOBODY = { exact: [], parts: [] };
const COMMAND: SearchShareesCommand = {
  ...{ search: 'bob@x.example', itemType: 'file', page: 1, perPage: 200 },
  shareTypes: undefined,
};

/** Finds Bob, the group `bobs` and these contacts, and records the queries. */
function portsWith(
  settings: Record<string, string> = {},
  contacts: readonly FoundContact[] = [],
): SearchShareesPorts & { asked: ShareeSearch[] } {
  const asked: ShareeSearch[] = [];
  return {
    asked,
    policy: { current: async () => policyFrom(new Map(Object.entries(settings))) },
    directory: {
      search: async (query) => {
        asked.push(query);
        const { uid, users, groups, exceptGroups } = query;
        const isAlice = query.contacts !== undefined && uid === 'alice';
        return {
          users: users ? { exact: [BOB], parts: [] } : NOBODY,
          groups: groups && !exceptGroups.includes('bobs') ? { exact: [], parts: ['bobs'] } : NOBODY,
          contacts: isAlice
            ? { exact: contacts.filter(({ byId }) => byId), parts: contacts.filter(({ byId }) => !byId) }
            : NOBODY,
        };
      },
    },
    isOwnDomain: (domain) => domain === 'x.example',
    accountOf: async (_uid, { text }) =>
      text === 'ann@mail.example' ? parseCloudId('ann@y.example') : undefined,
  };
}
const search = (
  command: Partial<SearchShareesCommand>,
  settings?: Record<string, string>,
  groups: string[] = [],
) => searchSharees(portsWith(settings), { uid: 'alice', groups }, { ...COMMAND, ...command });

describe('a search for recipients', () => {
  it('finds users, groups and the typed id', async () => {
    expect(await search({ search: 'bob@y.example' })).toEqual({
      users: {
        exact: [{ uid: 'bob', displayName: 'Bob', additionalInfo: null, withinScope: true }],
        parts: [],
      },
      groups: { exact: [], parts: ['bobs'] },
      remotes: {
        exact: [{ cloudId: 'bob@y.example', label: 'bob@y.example', contact: null }],
        parts: [],
      },
    });
    expect((await search({})).remotes).toEqual(NOBODY);
    expect((await search({ search: 'bob@y.example', page: 2 })).remotes).toEqual(NOBODY);
  });

  it.each([
    [{ perPage: 0, page: 0, itemType: undefined }, 'per-page'],
    [{ page: 0, itemType: undefined }, 'page'],
    [{ itemType: undefined }, 'item-type'],
  ])('refuses the first wrong parameter of %j', async (command, failure) => {
    await expect(search(command)).rejects.toMatchObject({ failure });
  });

  it('finds nothing for people who may not share, before other checks', async () => {
    const excluded = {
      'core/shareapi_exclude_groups': 'yes',
      'core/shareapi_exclude_groups_list': '["guests"]',
    };
    const nothing = { users: NOBODY, groups: NOBODY, remotes: NOBODY };
    expect(await search({ itemType: undefined }, excluded, ['guests'])).toEqual(nothing);
    await expect(search({ page: 0 }, excluded, ['guests'])).rejects.toMatchObject({ failure: 'page' });
    expect(await search({ search: 'x'.repeat(513) })).toEqual(nothing);
  });

  it('leaves out blacklisted groups, and adds information to equal names', async () => {
    const settings = {
      'files_sharing/blacklisted_receiver_groups': '["bobs"]',
      'core/user_additional_info_field': 'id',
    };
    const { users, groups } = await search({}, settings);
    expect(groups).toEqual(NOBODY);
    expect(users.exact[0]!.additionalInfo).toBe('bob');
  });

  it('requests one page of at most a thousand', async () => {
    const ports = portsWith();
    await searchSharees(ports, { uid: 'alice', groups: [] }, { ...COMMAND, page: 3, perPage: 50_000 });
    expect(ports.asked).toMatchObject([{ limit: 1000, offset: 2000 }]);
  });
});

describe('contacts at other servers in a search for recipients', () => {
  const remotes = async (
    contacts: readonly FoundContact[],
    command: Partial<SearchShareesCommand> = {},
    settings?: Record<string, string>,
  ) => {
    const alice = { uid: 'alice', groups: [] };
    const ports = portsWith(settings, contacts);
    return (await searchSharees(ports, alice, { ...COMMAND, search: 'alan@y.example', ...command })).remotes;
  };
  const found = {
    cloudId: 'alan@y.example',
    label: 'Alan Turing',
    contact: { server: 'y.example', mail: 'alan@mail.example', organisation: '', isVerified: true },
  };
  const typed = { cloudId: 'alan@y.example', label: 'alan@y.example', contact: null };

  it('have their own display name, or their id', async () => {
    expect(await remotes([ALAN], { search: 'alan' })).toEqual({ exact: [], parts: [found] });
    const nameless = { ...ALAN, displayName: '' };
    expect(await remotes([nameless], { search: 'alan' })).toEqual({
      exact: [],
      parts: [{ ...found, label: 'alan@y.example' }],
    });
  });

  it('replace a typed id once', async () => {
    expect(await remotes([{ ...ALAN, byId: true }])).toEqual({ exact: [found], parts: [] });
    expect(await remotes([ALAN])).toEqual({ exact: [typed], parts: [found] });
  });

  it.each([
    [{ shareTypes: [0] }, {}],
    [{ itemType: 'calendar' }, {}],
    [{}, { 'files_sharing/outgoing_server2server_share_enabled': 'no' }],
    [{ search: ' ' }, {}],
  ])('are not searched with %j and %j', async (command, settings) => {
    expect((await remotes([ALAN], command, settings)).parts).toEqual([]);
  });

  it('are found only by whole names if lists are off, and only by whole ids if the search is short', async () => {
    const scopeOf = async (search: string, settings: Record<string, string>) => {
      const ports = portsWith(settings);
      await searchSharees(ports, { uid: 'alice', groups: ['staff'] }, { ...COMMAND, search });
      return ports.asked.at(-1)!.contacts;
    };
    const off = { 'core/shareapi_allow_share_dialog_user_enumeration': 'no' };
    const own = { 'core/shareapi_only_share_with_group_members': 'yes' };
    const anywhere = { within: undefined, idsAnywhere: true };
    expect(await scopeOf('alan', off)).toEqual({ ...anywhere, parts: false, names: true });
    expect(await scopeOf('alan', own)).toEqual({ ...anywhere, parts: true, names: true });
    expect(await scopeOf('a', {})).toEqual({ ...anywhere, parts: false, names: false });
  });
});

describe('a whole mail address in a search for recipients', () => {
  const ON = { 'federation/find_by_mail': 'yes' };
  const account = {
    cloudId: 'ann@y.example',
    label: 'ann@y.example',
    contact: { server: 'y.example', mail: 'ann@mail.example', organisation: '', isVerified: false },
  };
  const remotesOf = async (
    settings: Record<string, string>,
    command: Partial<SearchShareesCommand>,
    contacts: readonly FoundContact[] = [],
  ) => {
    const ports = portsWith(settings, contacts);
    const nobodyHere = {
      search: async (query: ShareeSearch) => ({ ...(await ports.directory.search(query)), users: NOBODY }),
    };
    const alice = { uid: 'alice', groups: [] };
    const typed = { ...COMMAND, search: 'ann@mail.example', ...command };
    return (await searchSharees({ ...ports, directory: nobodyHere }, alice, typed)).remotes.exact;
  };

  it('finds the account that its server names, where a setting allows it', async () => {
    expect(await remotesOf(ON, {})).toEqual([account]);
    expect(await remotesOf(ON, { search: ' Ann@MAIL.example' })).toEqual([account]);
    expect(await remotesOf({}, {})).toEqual([
      { cloudId: 'ann@mail.example', label: 'ann@mail.example', contact: null },
    ]);
  });

  it.each<[string, Partial<SearchShareesCommand>]>([
    ['a part', { search: 'ann@mail.exampl' }],
    ['another page', { page: 2 }],
    ['other types', { shareTypes: [0] }],
    ['an item that cannot be shared across servers', { itemType: 'calendar' }],
  ])('is not asked for in a search for %s', async (_what, command) => {
    expect((await remotesOf(ON, command)).filter(({ contact }) => contact !== null)).toEqual([]);
  });

  it('is not asked for if somebody is known by it', async () => {
    const { users, remotes } = await searchSharees(
      portsWith(ON),
      { uid: 'alice', groups: [] },
      { ...COMMAND, search: 'ann@mail.example' },
    );
    expect([users.exact.length, remotes.exact[0]!.contact]).toEqual([1, null]);
  });
});
