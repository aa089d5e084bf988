import * as parse from './parsers';
import { optional, required } from './variable';

/** Variables about a directory with the LDAP protocol, such as Active Directory. */
export const LDAP_VARIABLES = {
  LDAP_URLS: optional({
    parse: parse.ldapAddresses,
    meaning:
      'Servers of the directory whose people get accounts, separated by commas; the first one that answers is used. When absent, no directory is read.',
    example: 'ldaps://ldap1.example.org,ldaps://ldap2.example.org',
  }),
  LDAP_NAME: required({
    parse: parse.shortName,
    fallback: 'directory',
    meaning: 'Name of the directory here. Accounts belong to it: do not change it.',
  }),
  LDAP_START_TLS: required({
    parse: parse.flag,
    fallback: 'true',
    meaning:
      'Whether connections to addresses with ldap:// are encrypted by StartTLS; this is required unless they stay on this machine.',
  }),
  LDAP_CA_FILE: optional({
    parse: parse.text,
    meaning:
      'File with the certificates (PEM) of the authorities of the servers; by default the authorities that the system trusts.',
    example: '/etc/drawbridge/directory-ca.pem',
  }),
  LDAP_BIND_DN: optional({
    parse: parse.text,
    meaning: 'Account for reading the directory; when absent, it is read anonymously.',
    example: 'cn=drawbridge,ou=services,dc=example,dc=org',
  }),
  LDAP_BIND_PASSWORD: optional({
    parse: parse.text,
    meaning: 'Password that belongs to LDAP_BIND_DN.',
    example: 'a-long-secret',
    secret: true,
  }),
  LDAP_USER_BASE: optional({
    parse: parse.text,
    meaning: 'Entry that contains the people. Required with LDAP_URLS.',
    example: 'ou=people,dc=example,dc=org',
  }),
  LDAP_USER_FILTER: required({
    parse: parse.ldapFilter,
    fallback: '(objectClass=inetOrgPerson)',
    meaning: 'Filter for the people who get an account.',
  }),
  LDAP_ID_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'entryUUID',
    meaning:
      'Attribute of people and groups that never changes and is never used again; objectGUID for Active Directory.',
  }),
  LDAP_USER_NAME_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'uid',
    meaning:
      'Attribute with the name from which the user id of a new account follows; sAMAccountName for Active Directory.',
  }),
  LDAP_DISPLAY_NAME_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'cn',
    meaning: 'Attribute with the name that other people see.',
  }),
  LDAP_EMAIL_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'mail',
    meaning: 'Attribute with the mail address.',
  }),
  LDAP_QUOTA_ATTRIBUTE: optional({
    parse: parse.attributeName,
    meaning: 'Attribute with the quota, such as "5 GB"; quotas are set by administrators when absent.',
    example: 'roomNumber',
  }),
  LDAP_TAKEN_NAMES: required({
    parse: parse.oneOf('suffix', 'refuse'),
    fallback: 'suffix',
    meaning:
      'Answer to a new person whose name belongs to another account: suffix creates a user id with a number, refuse creates no account.',
  }),
  LDAP_GROUP_BASE: optional({
    parse: parse.text,
    meaning: 'Entry that contains the groups; when absent, the directory gives no groups.',
    example: 'ou=groups,dc=example,dc=org',
  }),
  LDAP_GROUP_FILTER: required({
    parse: parse.ldapFilter,
    fallback: '(objectClass=groupOfNames)',
    meaning: 'Filter for groups; (objectClass=group) for Active Directory.',
  }),
  LDAP_GROUP_NAME_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'cn',
    meaning: 'Attribute with the name from which the id of a new group follows.',
  }),
  LDAP_MEMBER_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'member',
    meaning:
      'Attribute with the members of a group: the entries of people or of other groups, or with memberUid the names of people.',
  }),
  LDAP_GROUPS_OF_SAME_NAME: required({
    parse: parse.oneOf('separate', 'merge'),
    fallback: 'separate',
    meaning:
      'Answer to a group whose name exists here: separate gives it an id with a number, merge makes both the same.',
  }),
  LDAP_ADMIN_GROUPS: optional({
    parse: parse.nameList,
    meaning: 'Names of groups whose members are administrators here.',
    example: 'cloud-admins',
  }),
  LDAP_CHANGED_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'modifyTimestamp',
    meaning:
      'Attribute with the time of the last change of an entry, for finding changes; whenChanged for Active Directory.',
  }),
  LDAP_SYNC_EVERY: required({
    parse: parse.duration(60_000, 86_400_000),
    fallback: '10m',
    meaning: 'How often changes are read.',
  }),
  LDAP_FULL_SYNC_EVERY: required({
    parse: parse.duration(60_000, 30 * 86_400_000),
    fallback: '6h',
    meaning: 'How often the whole directory is read, to find people who have left it.',
  }),
  LDAP_GREATEST_LOSS: required({
    parse: parse.ratio,
    fallback: '0.1',
    meaning:
      'The part of people, groups or memberships that may disappear at once; a larger loss is held back and reported. Up to five may always disappear, but never all people or all groups.',
  }),
  LDAP_GONE_ACCOUNTS: required({
    parse: parse.oneOf('end', 'disable'),
    fallback: 'end',
    meaning:
      'Answer to people who have left the directory: end disables the account and removes it after system/account_grace_days, disable keeps it.',
  }),
};
