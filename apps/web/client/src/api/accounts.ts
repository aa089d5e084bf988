import { ocs } from './ocs';

const USERS = 'cloud/users';
const GROUPS = 'cloud/groups';
const ENDS = 'apps/drawbridge/api/v1/account-ends';
const user = (uid: string): string => `${USERS}/${encodeURIComponent(uid)}`;
const group = (gid: string): string => `${GROUPS}/${encodeURIComponent(gid)}`;
const end = (uid: string): string => `${ENDS}/${encodeURIComponent(uid)}`;

/** Number of entries that are read at a time. */
export const PAGE = 100;

/** An account, in the form of the provisioning calls. */
export interface Account {
  readonly enabled?: string;
  readonly email: string | null;
  readonly displayname: string;
  /** In bytes; `definition` is `default` or a text such as `5 GB`. */
  readonly quota: { readonly used: number; readonly definition: string };
  /** Unix seconds; 0 for never. */
  readonly last_login: number;
}
export type ChangedField = 'displayname' | 'email' | 'quota' | 'password';

/** User ids that contain `search`, in order, behind the first `offset`. */
export const listAccounts = async (search: string, offset: number): Promise<string[]> =>
  (await ocs<{ users: string[] }>('GET', USERS, { search, limit: String(PAGE), offset: String(offset) }))
    .users;
export const readAccount = (uid: string): Promise<Account> => ocs('GET', user(uid));
export const createAccount = (uid: string, password: string): Promise<unknown> =>
  ocs('POST', USERS, { userid: uid, password });
export const changeAccount = (uid: string, key: ChangedField, value: string): Promise<unknown> =>
  ocs('PUT', user(uid), { key, value });
export const enableAccount = (uid: string): Promise<unknown> => ocs('PUT', `${user(uid)}/enable`);
export const disableAccount = (uid: string): Promise<unknown> => ocs('PUT', `${user(uid)}/disable`);

export const groupsOf = async (uid: string): Promise<string[]> =>
  (await ocs<{ groups: string[] }>('GET', `${user(uid)}/groups`)).groups;
export const joinGroup = (uid: string, gid: string): Promise<unknown> =>
  ocs('POST', `${user(uid)}/groups`, { groupid: gid });
export const leaveGroup = (uid: string, gid: string): Promise<unknown> =>
  ocs('DELETE', `${user(uid)}/groups`, { groupid: gid });

export const listGroups = async (search: string, offset: number): Promise<string[]> =>
  (await ocs<{ groups: string[] }>('GET', GROUPS, { search, limit: String(PAGE), offset: String(offset) }))
    .groups;
export const membersOf = async (gid: string): Promise<string[]> =>
  (await ocs<{ users: string[] }>('GET', group(gid))).users;
/** A group member with an account at a partner. */
export interface RemoteMember {
  readonly cloud_id: string;
  readonly id: string;
}
const remote = (gid: string): string => `${group(gid)}/remote_members`;
/** Members behind `after`, in the order of their ids. */
export const remoteMembersOf = async (gid: string, after: string): Promise<RemoteMember[]> =>
  (await ocs<{ members: RemoteMember[] }>('GET', remote(gid), { after, limit: String(PAGE) })).members;
export const joinRemotely = (gid: string, cloudId: string): Promise<unknown> =>
  ocs('POST', remote(gid), { 'cloud_ids[]': cloudId });
export const leaveRemotely = (gid: string, cloudId: string): Promise<unknown> =>
  ocs('DELETE', remote(gid), { 'cloud_ids[]': cloudId });
export const createGroup = (gid: string): Promise<unknown> => ocs('POST', GROUPS, { groupid: gid });
export const removeGroup = (gid: string): Promise<unknown> => ocs('DELETE', group(gid));

/** Numbers of an account's files and shares, and its end if one was requested. Times are ISO 8601. */
export interface AccountEnd {
  readonly preview: Readonly<Record<string, number>>;
  readonly end: {
    readonly transferTo: string | null;
    readonly dueAt: string;
    readonly beganAt: string | null;
  } | null;
}
export const readEnd = (uid: string): Promise<AccountEnd> => ocs('GET', end(uid));
/** Everything is transferred to `transferTo`, or removed if that is empty. */
export const requestEnd = (uid: string, transferTo: string, graceDays: string): Promise<unknown> =>
  ocs('POST', end(uid), {
    ...(transferTo === '' ? { how: 'remove' } : { how: 'transfer', transferTo }),
    ...(graceDays !== '' && { graceDays }),
  });
export const undoEnd = (uid: string): Promise<unknown> => ocs('DELETE', end(uid));
