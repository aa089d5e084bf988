import { policyFrom, type SharingPolicy } from './policy';
import { isRemoteTypedIn, searchScopes, wantedSharees } from './sharees';

const policy = (settings: Record<string, string> = {}): SharingPolicy =>
  policyFrom(new Map(Object.entries(settings)));
const GROUPS = ['staff'];
const ANYWHERE = { parts: true, names: true, within: undefined, idsAnywhere: true };

describe('the kinds of recipients of a search', () => {
  it.each([
    ['everything', {}, undefined, 'file', [true, true, true]],
    ['one type', {}, [1], 'folder', [false, true, false]],
    ['types that no search knows', {}, [3, 7], 'file', [false, false, false]],
    ['groups off', { 'core/shareapi_allow_group_sharing': 'no' }, undefined, 'file', [true, false, true]],
    [
      'federation off',
      { 'files_sharing/outgoing_server2server_share_enabled': 'no' },
      undefined,
      'file',
      [true, true, false],
    ],
    ['another kind of item', {}, undefined, 'calendar', [true, true, false]],
  ])('%s', (_name, settings, asked, itemType, [users, groups, remotes]) => {
    expect(wantedSharees(policy(settings), asked, itemType)).toEqual({
      ...{ users, groups, remotes },
      remoteGroups: false,
    });
  });

  it('are groups of other servers, too, where a setting allows shares with them', () => {
    const on = { 'files_sharing/outgoing_server2server_group_share_enabled': 'yes' };
    const wants = (asked?: number[], more: Record<string, string> = {}, itemType = 'file') =>
      wantedSharees(policy({ ...on, ...more }), asked, itemType).remoteGroups;
    expect([wants(), wants([9]), wants([6]), wants([0, 9])]).toEqual([true, true, false, true]);
    expect(wants(undefined, {}, 'calendar')).toBe(false);
    expect(wants(undefined, { 'files_sharing/outgoing_server2server_share_enabled': 'no' })).toBe(false);
  });
});

describe('the range of a search', () => {
  it('is everybody without limits', () => {
    expect(searchScopes(policy(), GROUPS, 'bob')).toEqual({
      users: ANYWHERE,
      groups: ANYWHERE,
      contacts: ANYWHERE,
    });
  });

  it.each(['', '  '])('is empty for %j if there is a minimum length', (search) => {
    expect(searchScopes(policy(), GROUPS, search)).toBeUndefined();
    expect(searchScopes(policy({ 'system/user.search_min_length': '0' }), GROUPS, search)?.users).toEqual(
      ANYWHERE,
    );
  });

  it.each(['b', ' b ', '😀'])('is whole ids only for %j, which is too short', (search) => {
    const ids = { ...ANYWHERE, parts: false, names: false };
    expect(searchScopes(policy(), GROUPS, search)).toEqual({ users: ids, groups: ids, contacts: ids });
  });

  it('is whole names only if listing of users is switched off', () => {
    const settings = {
      'core/shareapi_allow_share_dialog_user_enumeration': 'no',
      'core/shareapi_share_dialog_user_enumeration_group_members': 'yes',
    };
    expect(searchScopes(policy(settings), GROUPS, 'bob')?.users).toEqual({ ...ANYWHERE, parts: false });
  });

  it('is the caller’s groups if only members are listed, except for whole ids', () => {
    const settings = { 'core/shareapi_share_dialog_user_enumeration_group_members': 'yes' };
    const members = { ...ANYWHERE, within: GROUPS };
    expect(searchScopes(policy(settings), GROUPS, 'bob')).toEqual({
      users: members,
      groups: members,
      contacts: ANYWHERE,
    });
  });

  it('is the caller’s groups, also for whole ids, if sharing is limited to members', () => {
    const members = { ...ANYWHERE, within: GROUPS, idsAnywhere: false };
    const onlyMembers = policy({ 'core/shareapi_only_share_with_group_members': 'yes' });
    expect(searchScopes(onlyMembers, GROUPS, 'bob')).toMatchObject({ users: members, groups: ANYWHERE });
    const ownGroups = policy({ 'core/shareapi_only_share_with_membership_groups': 'yes' });
    expect(searchScopes(ownGroups, GROUPS, 'bob')).toMatchObject({ users: ANYWHERE, groups: members });
  });
});

describe('a federated cloud id that was typed in', () => {
  const isOwn = (domain: string): boolean => domain === 'cloud.example.org';
  it.each([
    ['zoe@other.example', false, true],
    ['zoe@other.example', true, true],
    ['zoe@cloud.example.org', false, true],
    ['zoe@cloud.example.org', true, false],
    ['zoe@mail.example@cloud.example.org', true, false],
    ['zoe@cloud.example.org/path', true, true],
    ['zoe', false, false],
    ['@', false, false],
  ])('%s (found here: %s) is offered: %s', (search, found, offered) => {
    expect(isRemoteTypedIn(policy(), search, found, isOwn)).toBe(offered);
  });
});
