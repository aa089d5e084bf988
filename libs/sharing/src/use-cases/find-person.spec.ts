import { policyFrom } from '../domain/policy';
import type { ShareeQuery } from '../ports/sharee-directory';
import { findPerson } from './find-person';

const ALICE = { uid: 'alice', groups: ['staff'] };
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  alice: ['staff'],
  bob: ['staff'],
  eve: ['other'],
};
const COMMON = { 'core/shareapi_only_share_with_group_members': 'yes' };

/** Alice and Bob are in a group, Eve is not; people in `together` share something. */
const find = async (uid: string, settings: Record<string, string> = {}, together: readonly string[] = []) =>
  findPerson(
    {
      policy: { current: async () => policyFrom(new Map(Object.entries(settings))) },
      directory: {
        users: async ({ search, scope: { within, idsAnywhere } }: ShareeQuery) => {
          const found = Object.keys(GROUPS).find((each) => each === search.toLowerCase());
          const withinScope = !within || within.some((gid) => GROUPS[found ?? '']?.includes(gid));
          const exact =
            found && (withinScope || idsAnywhere)
              ? [{ uid: found, displayName: found.toUpperCase(), email: null, withinScope }]
              : [];
          return { exact, parts: [] };
        },
        shareWithEachOther: async (...both) => both.some((each) => together.includes(each)),
      },
    },
    ALICE,
    uid,
  );

describe('an account that a user looks up', () => {
  it('is found by its whole id, in any case', async () => {
    expect(await find('BOB')).toEqual({ uid: 'bob', displayName: 'BOB' });
    expect(await find('bo')).toBeUndefined();
    expect(await find('')).toBeUndefined();
    expect(await find('b'.repeat(65))).toBeUndefined();
  });

  it('is found by its whole id if lists are switched off', async () => {
    expect(await find('eve', { 'core/shareapi_allow_share_dialog_user_enumeration': 'no' })).toBeDefined();
  });

  it('is hidden if sharing is limited to members of a group', async () => {
    expect(await find('bob', COMMON)).toBeDefined();
    expect(await find('eve', COMMON)).toBeUndefined();
    expect(await find('eve', COMMON, ['eve'])).toBeDefined();
  });

  it('is hidden from people who may not share, except from itself and its sharing partners', async () => {
    const settings = {
      'core/shareapi_exclude_groups': 'yes',
      'core/shareapi_exclude_groups_list': '["staff"]',
    };
    expect(await find('bob', settings)).toBeUndefined();
    expect(await find('alice', settings)).toBeDefined();
    expect(await find('bob', settings, ['bob'])).toBeDefined();
  });
});
