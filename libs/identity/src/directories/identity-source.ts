import type { ManagedField, SourceName } from '#persistence';

/** A source of identities, and the rules for what comes from it. */
export interface IdentitySource extends SourceName {
  /** Fields of its accounts that only the source changes. */
  readonly manages: readonly ManagedField[];
  /** Answer to a name that another account has: another id by suffix, or none. It never gets the other account. */
  readonly takenNames: 'suffix' | 'refuse';
  /** Answer to a group of a name that is taken: another id by suffix, or the same group. The group of administrators is never the same. */
  readonly groupsOfSameName: 'separate' | 'merge';
}

/** An account as a source tells of it. Fields that it says nothing of are undefined, and stay as they are. */
export interface PersonOfSource {
  /** Stable id there: at most 255 characters. */
  readonly subject: string;
  /** Name for the user id of a new account; of an account that there is it changes nothing. */
  readonly name: string;
  readonly displayName?: string;
  /** `''`: none. */
  readonly email?: string;
  /** In bytes; null: none. */
  readonly quotaBytes?: number | null;
}

/** A group as a source tells of it. */
export interface GroupOfSource {
  /** Stable id there: at most 255 characters. */
  readonly subject: string;
  /** Name for the id of a new group. */
  readonly name: string;
}
