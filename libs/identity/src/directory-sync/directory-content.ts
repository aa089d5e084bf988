import type { GroupOfSource, IdentitySource, PersonOfSource } from '../directories/identity-source';

/** A person in a read directory. */
export interface DirectoryPerson extends PersonOfSource {
  /** Name with which groups refer to the person, in a form that can be compared. */
  readonly place: string;
}

/** A group in a read directory. */
export interface DirectoryGroup extends GroupOfSource {
  /** Name with which other groups refer to it. */
  readonly place: string;
  /** Places of people and groups in it. */
  readonly members: readonly string[];
}

/** An answer of a directory. */
export interface DirectoryAnswer {
  readonly people: readonly DirectoryPerson[];
  /** All groups, even in an answer about changes; undefined: the directory has no groups, or none has changed. */
  readonly groups: readonly DirectoryGroup[] | undefined;
  /** Position for the next request for changes; undefined: the directory does not say when entries changed. */
  readonly mark: string | undefined;
}

/** A directory of people and groups that is read regularly. */
export interface ReadDirectory {
  readonly source: IdentitySource;
  /** Names of groups whose members are administrators. */
  readonly adminGroups: readonly string[];
  /** @throws DirectoryUnread */
  readAll(): Promise<DirectoryAnswer>;
  /**
   * People that changed since a mark, and all groups if one of them did.
   * @param knows whether a person with this place is known here; for an unknown one, groups are read
   * @throws DirectoryUnread
   */
  readChanges(mark: string, knows: (person: DirectoryPerson) => boolean): Promise<DirectoryAnswer>;
}

/** The directory gave no usable answer; the message is for operators. */
export class DirectoryUnread extends Error {}
