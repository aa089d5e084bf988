import { policyFrom } from '../domain/policy';
import type { FoundUser, ShareeQuery } from '../ports/sharee-directory';
import { searchSharees, type SearchShareesCommand, type SearchShareesPorts } from './search-sharees';

const BOB: FoundUser = { uid: 'bob', displayName: 'Bob', email: null, withinScope: true };
const NOBODY = { exact: [], parts: [] };
const COMMAND: SearchShareesCommand = {
  ...{ search: 'bob@x.example', itemType: 'file', page: 1, perPage: 200 },
  shareTypes: undefined,
};

/** Finds Bob and the group `bobs`, and notes what it was asked. */
function portsWith(settings: Record<string, string> = {}): SearchShareesPorts & { asked: ShareeQuery[] } {
  const asked: ShareeQuery[] = [];
  return {
    asked,
    policy: { current: async () => policyFrom(new Map(Object.entries(settings))) },
    directory: {
      users: async (query) => {
        asked.push(query);
        return { exact: [BOB], parts: [] };
      },
      groups: async (query, except) => {
        asked.push(query);
        return except.includes('bobs') ? NOBODY : { exact: [], parts: ['bobs'] };
      },
    },
    isOwnDomain: (domain) => domain === 'x.example',
  };
}
const search = (
  command: Partial<SearchShareesCommand>,
  settings?: Record<string, string>,
  groups: string[] = [],
) => searchSharees(portsWith(settings), { uid: 'alice', groups }, { ...COMMAND, ...command });

describe('a search for recipients', () => {
  it('finds users, groups and the id that was typed', async () => {
    expect(await search({ search: 'bob@y.example' })).toEqual({
      users: {
        exact: [{ uid: 'bob', displayName: 'Bob', additionalInfo: null, withinScope: true }],
        parts: [],
      },
      groups: { exact: [], parts: ['bobs'] },
      remotes: { exact: ['bob@y.example'], parts: [] },
    });
    expect((await search({})).remotes).toEqual(NOBODY);
    expect((await search({ search: 'bob@y.example', page: 2 })).remotes).toEqual(NOBODY);
  });

  it.each([
    [{ perPage: 0, page: 0, itemType: undefined }, 'per-page'],
    [{ page: 0, itemType: undefined }, 'page'],
    [{ itemType: undefined }, 'item-type'],
  ])('refuses the first thing that is wrong of %j', async (command, failure) => {
    await expect(search(command)).rejects.toMatchObject({ failure });
  });

  it('finds nothing for those who may not share, whatever else is wrong', async () => {
    const excluded = {
      'core/shareapi_exclude_groups': 'yes',
      'core/shareapi_exclude_groups_list': '["guests"]',
    };
    const nothing = { users: NOBODY, groups: NOBODY, remotes: NOBODY };
    expect(await search({ itemType: undefined }, excluded, ['guests'])).toEqual(nothing);
    await expect(search({ page: 0 }, excluded, ['guests'])).rejects.toMatchObject({ failure: 'page' });
    expect(await search({ search: 'x'.repeat(513) })).toEqual(nothing);
  });

  it('leaves out blacklisted groups, and says what tells namesakes apart', async () => {
    const settings = {
      'files_sharing/blacklisted_receiver_groups': '["bobs"]',
      'core/user_additional_info_field': 'id',
    };
    const { users, groups } = await search({}, settings);
    expect(groups).toEqual(NOBODY);
    expect(users.exact[0]!.additionalInfo).toBe('bob');
  });

  it('asks for one page of at most a thousand', async () => {
    const ports = portsWith();
    await searchSharees(ports, { uid: 'alice', groups: [] }, { ...COMMAND, page: 3, perPage: 50_000 });
    expect(ports.asked.map(({ limit, offset }) => [limit, offset])).toEqual([
      [1000, 2000],
      [1000, 2000],
    ]);
  });
});
