import type { SearchScope } from '../domain/sharees';

/** One page of a search for recipients. */
export interface ShareeQuery {
  /** Matched regardless of case. */
  readonly search: string;
  readonly scope: SearchScope;
  readonly limit: number;
  readonly offset: number;
}

export interface FoundUser {
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  /** Whether the user is within the scope; otherwise only their whole id matched. */
  readonly withinScope: boolean;
}

/** A person at another server: the caller's contact by an invitation, or somebody in the address book of a trusted server. */
export interface FoundContact {
  /** Cloud id, as their own server sent it. */
  readonly cloudId: string;
  readonly server: string;
  /** Empty if the server sent none. */
  readonly displayName: string;
  /** Empty if the server sent none. */
  readonly email: string;
  /** Empty if the server sent none. */
  readonly organisation: string;
  /** Whether an invitation verified them; otherwise only their server names them. */
  readonly isVerified: boolean;
  /** Whether the search was for the whole federated cloud id, rather than a name. */
  readonly byId: boolean;
}

/** Whole matches are listed on the first page only; `parts` lists all other matches. */
export interface ShareePage<T> {
  readonly exact: readonly T[];
  readonly parts: readonly T[];
}

/** One page of a search for users, groups and contacts; undefined for kinds that the search leaves out. */
export interface ShareeSearch extends Omit<ShareeQuery, 'scope'> {
  /** The caller, whose contacts are searched. */
  readonly uid: string;
  /** Searched by id, display name and e-mail address. Users who do not want to be listed are found by a whole match only. */
  readonly users: SearchScope | undefined;
  readonly groups: SearchScope | undefined;
  /** Searched by display name, e-mail address and federated cloud id. */
  readonly contacts: SearchScope | undefined;
  /** Whether the search for contacts includes the address books of trusted servers. */
  readonly addressBooks: boolean;
  /** Ids of groups that are never found. */
  readonly exceptGroups: readonly string[];
}

export interface FoundSharees {
  readonly users: ShareePage<FoundUser>;
  /** Searched by id. */
  readonly groups: ShareePage<string>;
  readonly contacts: ShareePage<FoundContact>;
}

/** Searches users and groups of this instance, and contacts at others. */
export interface ShareeDirectory {
  search(search: ShareeSearch): Promise<FoundSharees>;
}

/** Accounts of this instance, as other users may see them. */
export interface PeopleDirectory {
  /** Searches by id, display name and e-mail address. */
  users(query: ShareeQuery): Promise<ShareePage<FoundUser>>;
  /** Whether one of two users shares something with the other, who did not decline it. */
  shareWithEachOther(uid: string, other: string): Promise<boolean>;
}
