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

/** Whole matches are listed on the first page only; `parts` has everybody else. */
export interface ShareePage<T> {
  readonly exact: readonly T[];
  readonly parts: readonly T[];
}

/** Users and groups of this instance, searched. */
export interface ShareeDirectory {
  /** By id, display name and e-mail address; users who do not want to be enumerated are found by a whole match only. */
  users(query: ShareeQuery): Promise<ShareePage<FoundUser>>;
  /** Group ids but for those of `except`. */
  groups(query: ShareeQuery, except: readonly string[]): Promise<ShareePage<string>>;
}
