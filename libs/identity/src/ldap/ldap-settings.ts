import { readFileSync } from 'node:fs';
import { FilterParser } from 'ldapts';
import { ConfigError, type Config } from '#platform';
import type { IdentitySource } from '../directories/identity-source';

export type LdapConfig = Pick<Config, Extract<keyof Config, `LDAP_${string}`>>;

/** Addresses of this machine, to which connections need no encryption. */
const HERE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const NEEDED = ['LDAP_USER_BASE'] as const;
const FILTERS = ['LDAP_USER_FILTER', 'LDAP_GROUP_FILTER'] as const;

/** Configuration of a directory. */
export interface LdapSettings {
  readonly config: LdapConfig;
  readonly urls: readonly URL[];
  readonly userBase: string;
  /** Certificates of the authorities, as PEM; undefined: those of the system. */
  readonly ca: string | undefined;
}

/** Configuration of a directory; undefined if none is set. @throws ConfigError if a part is missing or wrong */
export function ldapSettings(config: LdapConfig): LdapSettings | undefined {
  const { LDAP_URLS: urls, LDAP_USER_BASE: userBase } = config;
  if (!urls) return undefined;
  for (const name of NEEDED)
    if (config[name] === undefined) throw new ConfigError(`${name} is missing: LDAP_URLS needs it.`);
  if ((config.LDAP_BIND_DN === undefined) !== (config.LDAP_BIND_PASSWORD === undefined))
    throw new ConfigError('LDAP_BIND_DN and LDAP_BIND_PASSWORD need each other.');
  for (const name of FILTERS) assertFilter(name, config[name]);
  if (
    !config.LDAP_START_TLS &&
    urls.some(({ protocol, hostname }) => protocol === 'ldap:' && !HERE.test(hostname))
  )
    throw new ConfigError(
      'LDAP_START_TLS is false, but passwords would be sent to another machine unencrypted.',
    );
  return { config, urls, userBase: userBase!, ca: certificates(config.LDAP_CA_FILE) };
}

/** The directory as a source of accounts. */
export function ldapSource(config: LdapConfig): IdentitySource {
  const manages = ['displayName', 'email', 'password'] as const;
  return {
    kind: 'ldap',
    source: config.LDAP_NAME,
    manages: config.LDAP_QUOTA_ATTRIBUTE ? [...manages, 'quota'] : manages,
    takenNames: config.LDAP_TAKEN_NAMES,
    groupsOfSameName: config.LDAP_GROUPS_OF_SAME_NAME,
  };
}

function assertFilter(name: string, filter: string): void {
  try {
    FilterParser.parseString(filter);
  } catch {
    throw new ConfigError(`${name} is no filter.`);
  }
}

function certificates(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`LDAP_CA_FILE ${file} cannot be read.`);
  }
}
