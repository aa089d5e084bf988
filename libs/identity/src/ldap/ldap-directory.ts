import { randomUUID } from 'node:crypto';
import {
  AndFilter,
  EqualityFilter,
  FilterParser,
  GreaterThanEqualsFilter,
  type Entry,
  type Filter,
} from 'ldapts';
import type { IdentitySource } from '../directories/identity-source';
import {
  DirectoryUnread,
  type DirectoryAnswer,
  type DirectoryGroup,
  type DirectoryPerson,
  type ReadDirectory,
} from '../directory-sync/directory-content';
import { marked, withOverlap } from './change-mark';
import { isGuid, LdapFailure, type LdapConnection } from './ldap-connection';
import { groupOf, guidBytes, personOf, textOf } from './ldap-entries';
import { LdapServers } from './ldap-servers';
import { ldapSource, type LdapSettings } from './ldap-settings';
import { membersOf } from './members';

const MOST_PEOPLE = 500_000;
const MOST_GROUPS = 50_000;

type Keep<T> = (entry: Entry, connection: LdapConnection) => Promise<T | undefined> | T | undefined;

/** A directory with the LDAP protocol, from which people and groups are read. */
export class LdapDirectory implements ReadDirectory {
  readonly source: IdentitySource;
  readonly adminGroups: readonly string[];
  readonly servers: LdapServers;

  constructor(readonly settings: LdapSettings) {
    this.source = ldapSource(settings.config);
    this.adminGroups = settings.config.LDAP_ADMIN_GROUPS ?? [];
    this.servers = new LdapServers(settings);
  }

  readAll(): Promise<DirectoryAnswer> {
    return this.ask(async (connection) => {
      const marks: string[] = [];
      const people = await this.people(connection, this.userFilter(), marks);
      return { people, groups: await this.groups(connection, marks), mark: marked(marks) };
    });
  }

  readChanges(mark: string, knows: (person: DirectoryPerson) => boolean): Promise<DirectoryAnswer> {
    return this.ask(async (connection) => {
      const marks = [mark];
      const people = await this.people(connection, this.since(this.userFilter(), mark), marks);
      const isToRead =
        people.some((person) => !knows(person)) || (await this.hasChangedGroups(connection, mark));
      const groups = isToRead ? await this.groups(connection, marks) : undefined;
      return { people, groups, mark: marked(marks) };
    });
  }

  /** The name of the entry with this id, if the entry belongs to a person with an account. @throws LdapFailure */
  async nameOf(connection: LdapConnection, subject: string): Promise<string | undefined> {
    const { LDAP_ID_ATTRIBUTE: attribute } = this.settings.config;
    const value = isGuid(attribute) ? guidBytes(subject) : subject;
    const filter = new AndFilter({ filters: [this.userFilter(), new EqualityFilter({ attribute, value })] });
    for await (const entries of connection.search(this.settings.userBase, filter, [attribute]))
      if (entries[0]) return entries[0].dn;
    return undefined;
  }

  /** Whether a server has any person. @throws LdapFailure */
  async hasPeople(connection: LdapConnection): Promise<boolean> {
    return this.hasAny(connection, this.settings.userBase, this.userFilter());
  }

  /** The name of an entry that does not exist. */
  nameOfNobody(): string {
    return `${this.settings.config.LDAP_USER_NAME_ATTRIBUTE}=${randomUUID()},${this.settings.userBase}`;
  }

  private async ask(
    read: (connection: LdapConnection) => Promise<DirectoryAnswer>,
  ): Promise<DirectoryAnswer> {
    try {
      return await this.servers.with(read);
    } catch (error) {
      throw error instanceof LdapFailure ? new DirectoryUnread(error.message, { cause: error }) : error;
    }
  }

  private people(connection: LdapConnection, filter: Filter, marks: string[]): Promise<DirectoryPerson[]> {
    const { config, userBase } = this.settings;
    const attributes = [
      config.LDAP_USER_NAME_ATTRIBUTE,
      config.LDAP_DISPLAY_NAME_ATTRIBUTE,
      config.LDAP_EMAIL_ATTRIBUTE,
      ...(config.LDAP_QUOTA_ATTRIBUTE ? [config.LDAP_QUOTA_ATTRIBUTE] : []),
    ];
    const keep: Keep<DirectoryPerson> = (entry) => personOf(entry, config);
    return this.found(connection, { base: userBase, filter, attributes, most: MOST_PEOPLE }, keep, marks);
  }

  private async groups(connection: LdapConnection, marks: string[]): Promise<DirectoryGroup[] | undefined> {
    const { config } = this.settings;
    const { LDAP_GROUP_BASE: base, LDAP_MEMBER_ATTRIBUTE: member } = config;
    if (base === undefined) return undefined;
    const attributes = [config.LDAP_GROUP_NAME_ATTRIBUTE, member];
    const keep: Keep<DirectoryGroup> = async (entry) =>
      groupOf(entry, await membersOf(entry, member, (dn, part) => connection.read(dn, [part])), config);
    return this.found(
      connection,
      { base, filter: this.groupFilter(), attributes, most: MOST_GROUPS },
      keep,
      marks,
    );
  }

  private async hasChangedGroups(connection: LdapConnection, mark: string): Promise<boolean> {
    const { LDAP_GROUP_BASE: base } = this.settings.config;
    return base !== undefined && this.hasAny(connection, base, this.since(this.groupFilter(), mark));
  }

  private async hasAny(connection: LdapConnection, base: string, filter: Filter): Promise<boolean> {
    for await (const entries of connection.search(base, filter, [this.settings.config.LDAP_ID_ATTRIBUTE]))
      if (entries.length > 0) return true;
    return false;
  }

  /** Entries that a search finds; their times of change are added to `marks`. */
  private async found<T>(
    connection: LdapConnection,
    about: { base: string; filter: Filter; attributes: readonly string[]; most: number },
    keep: Keep<T>,
    marks: string[],
  ): Promise<T[]> {
    const { LDAP_ID_ATTRIBUTE: id, LDAP_CHANGED_ATTRIBUTE: changed } = this.settings.config;
    const kept: T[] = [];
    for await (const entries of connection.search(about.base, about.filter, [
      id,
      changed,
      ...about.attributes,
    ]))
      for (const entry of entries) {
        const one = await keep(entry, connection);
        if (one !== undefined) kept.push(one);
        if (kept.length > about.most) throw new LdapFailure(`there are more than ${about.most} entries`);
        const time = textOf(entry, changed);
        if (time !== undefined) marks.push(time);
      }
    return kept;
  }

  private since(filter: Filter, mark: string): Filter {
    const { LDAP_CHANGED_ATTRIBUTE: attribute } = this.settings.config;
    return new AndFilter({
      filters: [filter, new GreaterThanEqualsFilter({ attribute, value: withOverlap(mark) })],
    });
  }

  private userFilter = (): Filter => FilterParser.parseString(this.settings.config.LDAP_USER_FILTER);
  private groupFilter = (): Filter => FilterParser.parseString(this.settings.config.LDAP_GROUP_FILTER);
}
