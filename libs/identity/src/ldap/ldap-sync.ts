import {
  AccountEndRepository,
  AccountEndSteps,
  AccountRepository,
  AccountStateRepository,
  ChangeFeed,
  DirectorySyncRepository,
  ExternalGroupRepository,
  ExternalIdentityRepository,
  GroupRepository,
  type Database,
  type DirectorySyncState,
} from '#persistence';
import { AccountEnds } from '../account-end/account-ends';
import { AccountDirectory } from '../account-directory';
import { SourceAccounts } from '../directories/source-accounts';
import { SourceGroups } from '../directories/source-groups';
import { DirectorySync } from '../directory-sync/directory-sync';
import { GonePeople } from '../directory-sync/gone-people';
import { ReadGroups } from '../directory-sync/read-groups';
import { ReadPeople } from '../directory-sync/read-people';
import { LdapDirectory } from './ldap-directory';
import { ldapSettings, ldapSource, type LdapConfig } from './ldap-settings';

/** Reading of the configured directory, without a running app; undefined if none is configured. @throws ConfigError */
export function ldapSyncOn(database: Database, config: LdapConfig): DirectorySync | undefined {
  const settings = ldapSettings(config);
  if (!settings) return undefined;
  const directory = new LdapDirectory(settings);
  const { source } = directory;
  const feed = new ChangeFeed(database.options.url);
  const accounts = new AccountDirectory(new AccountRepository(database), feed);
  const identities = new ExternalIdentityRepository(database);
  const groups = new ExternalGroupRepository(database);
  const states = new AccountStateRepository(database);
  const people = new SourceAccounts(new AccountRepository(database), identities, states, accounts);
  const ends = new AccountEnds(new AccountEndRepository(database), new AccountEndSteps(database), accounts);
  const gone = new GonePeople(source, config.LDAP_GONE_ACCOUNTS, people, identities, ends);
  const sourceGroups = new SourceGroups(new GroupRepository(database), groups, accounts, feed);
  return new DirectorySync(
    directory,
    { greatestLoss: config.LDAP_GREATEST_LOSS, fullyEveryMs: config.LDAP_FULL_SYNC_EVERY },
    { states: new DirectorySyncRepository(database), identities, groups },
    {
      people: new ReadPeople(source, people, identities, gone),
      gone,
      groups: new ReadGroups(source, directory.adminGroups, sourceGroups, groups),
    },
  );
}

/** State of the readings of the configured directory; undefined before the first one. */
export const directoryStateOn = (
  database: Database,
  config: LdapConfig,
): Promise<DirectorySyncState | undefined> => new DirectorySyncRepository(database).find(ldapSource(config));
