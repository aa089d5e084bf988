import {
  AccountEndRepository,
  AccountEndSteps,
  AccountRepository,
  AccountStateRepository,
  AppPasswordRepository,
  BrowserSessionRepository,
  ChangeFeed,
  Database,
  ExternalGroupRepository,
  ExternalIdentityRepository,
  GroupRepository,
  RemoteMemberRepository,
  SecondFactorRepository,
  ThrottleRepository,
  ScimClientRepository,
} from '#persistence';
import { PublicAddress, type Config, type SecretBox } from '#platform';
import { settingsOn } from '#settings';
import { DEFAULT_PASSWORD_RULES, passwordFault } from '#sharing';
import { AppPasswords } from './app-passwords/app-passwords';
import { AccountEnds } from './account-end/account-ends';
import { ScimClients } from './scim/scim-clients';
import { AccountDirectory } from './account-directory';
import { SourceAccounts } from './directories/source-accounts';
import { SourceGroups } from './directories/source-groups';
import { LoginThrottle } from './login-throttle';
import { PasswordHasher } from './password-hasher';
import { RemoteMembers } from './remote-members';
import { SecondFactors } from './second-factor/second-factors';
import { UserAccounts } from './user-accounts';
import { UserGroups } from './user-groups';

const HASHES_WAITING = 100;

/** Administration of users, groups and their sources without a running app: for the command line and the first start. */
export function administrationOn(
  database: Database,
  config: Pick<Config, 'COMPATIBILITY'>,
): { users: UserAccounts; groups: UserGroups; sourceAccounts: SourceAccounts; sourceGroups: SourceGroups } {
  const feed = new ChangeFeed(database.options.url);
  const accounts = new AccountRepository(database);
  const groupRows = new GroupRepository(database);
  const identities = new ExternalIdentityRepository(database);
  const externalGroups = new ExternalGroupRepository(database);
  const states = new AccountStateRepository(database);
  const directory = new AccountDirectory(accounts, feed);
  const users = new UserAccounts(
    accounts,
    groupRows,
    directory,
    new PasswordHasher({ PASSWORD_QUEUE: HASHES_WAITING }),
    externalGroups,
    settingsOn(database, config).policy,
    states,
  );
  return {
    users,
    groups: new UserGroups(groupRows, externalGroups, users, directory, feed),
    sourceAccounts: new SourceAccounts(accounts, identities, states, directory),
    sourceGroups: new SourceGroups(groupRows, externalGroups, directory, feed),
  };
}

/** Group members with accounts at partners, without a running app: for the command line. */
export const remoteMembersOn = (database: Database, groups: UserGroups, config: Config): RemoteMembers =>
  new RemoteMembers(groups, new RemoteMemberRepository(database), new PublicAddress(config));

/** Ends of accounts without a running app: for the command line. */
export function accountEndsOn(database: Database): AccountEnds {
  const directory = new AccountDirectory(
    new AccountRepository(database),
    new ChangeFeed(database.options.url),
  );
  return new AccountEnds(new AccountEndRepository(database), new AccountEndSteps(database), directory);
}

/** SCIM clients without a running app: for the command line. */
export const scimClientsOn = (database: Database, secrets: SecretBox): ScimClients =>
  new ScimClients(new ScimClientRepository(database), secrets);

/** App passwords without a running app: for the command line. */
export function appPasswordsOn(database: Database, secrets: SecretBox): AppPasswords {
  return new AppPasswords(new AppPasswordRepository(database), secrets, new ChangeFeed(database.options.url));
}

/** Sessions of browsers without a running app: for the command line. */
export const browserSessionsOn = (database: Database): BrowserSessionRepository =>
  new BrowserSessionRepository(database);

/** Second factors without a running app: for the command line. */
export function secondFactorsOn(database: Database, secrets: SecretBox): SecondFactors {
  const throttle = new LoginThrottle(new ThrottleRepository(database));
  const feed = new ChangeFeed(database.options.url);
  return new SecondFactors(new SecondFactorRepository(database), throttle, secrets, feed);
}

/** Makes the first account, an administrator, if there is none. @returns whether it was made now */
export async function createFirstAdministrator(
  database: Database,
  config: Pick<Config, 'COMPATIBILITY'>,
  administrator: { uid: string; password: string },
): Promise<boolean> {
  return administrationOn(database, config).users.createFirstAdministrator(administrator);
}

/** A password that the rules for new ones would refuse, in words for operators. */
export interface WeakPassword {
  readonly fault: string;
  readonly advice: string;
  /** Both, with the name of the variable. */
  readonly sentence: string;
}

/** ADMIN_PASSWORD, if it is weak. It is used nevertheless, because a start must not fail on it. */
export function weakAdminPassword({
  ADMIN_PASSWORD: password,
}: Pick<Config, 'ADMIN_PASSWORD'>): WeakPassword | undefined {
  const fault = password && passwordFault(DEFAULT_PASSWORD_RULES, password);
  if (!fault) return undefined;
  const advice = 'Change it in the account too: a start never changes a password.';
  return { fault, advice, sentence: `ADMIN_PASSWORD is weak: ${fault}. ${advice}` };
}
