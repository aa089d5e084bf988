import type { GroupOfSource, IdentitySource, PersonOfSource } from '../directories/identity-source';

/** A person as a directory that is read has them. */
export interface DirectoryPerson extends PersonOfSource {
  /** By which groups name the person, in a form that can be compared. */
  readonly place: string;
}

/** A group as a directory that is read has it. */
export interface DirectoryGroup extends GroupOfSource {
  /** By which other groups name it. */
  readonly place: string;
  /** Places of people and groups. */
  readonly members: readonly string[];
}

/** An answer of a directory. */
export interface DirectoryAnswer {
  readonly people: readonly DirectoryPerson[];
  /** All groups, whatever was asked for; undefined: it gives none, or none has changed. */
  readonly groups: readonly DirectoryGroup[] | undefined;
  /** How far it tells, for the next question about changes; undefined: it does not say when entries changed. */
  readonly mark: string | undefined;
}

/** A directory of people and groups that is read from time to time. */
export interface ReadDirectory {
  readonly source: IdentitySource;
  /** Names of groups whose members are administrators. */
  readonly adminGroups: readonly string[];
  /** @throws DirectoryUnread */
  readAll(): Promise<DirectoryAnswer>;
  /**
   * People that changed since a mark, and all groups if one of them did.
   * @param knows whether a person stands at this place here already: where one does not, groups are read
   * @throws DirectoryUnread
   */
  readChanges(mark: string, knows: (person: DirectoryPerson) => boolean): Promise<DirectoryAnswer>;
}

/** The directory gave no usable answer; the message is for operators. */
export class DirectoryUnread extends Error {}
