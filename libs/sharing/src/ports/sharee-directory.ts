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
  /** Whether the scope covers the user, or only their whole id found them. */
  readonly withinScope: boolean;
}

/** A person at another server who is a contact of the caller by an invitation. */
export interface FoundContact {
  /** The account as its own server gave it. */
  readonly cloudId: string;
  readonly server: string;
  /** Empty where the server gave none. */
  readonly displayName: string;
  /** Empty where the server gave none. */
  readonly email: string;
  /** Whether the whole federated cloud id was searched for, rather than a name. */
  readonly byId: boolean;
}

/** Whole matches are listed on the first page only; `parts` has everybody else. */
export interface ShareePage<T> {
  readonly exact: readonly T[];
  readonly parts: readonly T[];
}

/** One page of a search among users, groups and contacts; undefined for what is not looked for. */
export interface ShareeSearch extends Omit<ShareeQuery, 'scope'> {
  /** The caller: their contacts are checked. */
  readonly uid: string;
  /** By id, display name and e-mail address; users who do not want to be enumerated are found by a whole match only. */
  readonly users: SearchScope | undefined;
  readonly groups: SearchScope | undefined;
  /** By display name, e-mail address and federated cloud id. */
  readonly contacts: SearchScope | undefined;
  /** Ids of groups that are never found. */
  readonly exceptGroups: readonly string[];
}

export interface FoundSharees {
  readonly users: ShareePage<FoundUser>;
  /** By id. */
  readonly groups: ShareePage<string>;
  readonly contacts: ShareePage<FoundContact>;
}

/** Users and groups of this instance, and contacts at others, searched. */
export interface ShareeDirectory {
  search(search: ShareeSearch): Promise<FoundSharees>;
}

/** Accounts of this instance, as others may see them. */
export interface PeopleDirectory {
  /** By id, display name and e-mail address. */
  users(query: ShareeQuery): Promise<ShareePage<FoundUser>>;
  /** Whether one of two users shares something with the other, and was not declined. */
  shareWithEachOther(uid: string, other: string): Promise<boolean>;
}
