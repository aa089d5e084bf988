import type { ManagedField, SourceName } from '#persistence';

/** A source of identities, and its rules. */
export interface IdentitySource extends SourceName {
  /** Fields of its accounts that only the source may change. */
  readonly manages: readonly ManagedField[];
  /** Treatment of a name that another account has: an id with a suffix, or a refusal. The existing account is never used. */
  readonly takenNames: 'suffix' | 'refuse';
  /** Treatment of a group whose name is taken: an id with a suffix, or the same group. The group of administrators is never merged. */
  readonly groupsOfSameName: 'separate' | 'merge';
}

/** An account in a report of a source. Fields that the source does not report are undefined, and stay unchanged. */
export interface PersonOfSource {
  /** Stable id there: at most 255 characters. */
  readonly subject: string;
  /** Name for the user id of a new account. It does not change an existing account. */
  readonly name: string;
  readonly displayName?: string;
  /** `''` means none. */
  readonly email?: string;
  /** In bytes; null means no limit. */
  readonly quotaBytes?: number | null;
}

/** A group in a report of a source. */
export interface GroupOfSource {
  /** Stable id there: at most 255 characters. */
  readonly subject: string;
  /** Name for the id of a new group. */
  readonly name: string;
}
