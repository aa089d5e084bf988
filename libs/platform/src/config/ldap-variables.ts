import * as parse from './parsers';
import { optional, required } from './variable';

/** Variables about a directory with the LDAP protocol, such as Active Directory. */
export const LDAP_VARIABLES = {
  LDAP_URLS: optional({
    parse: parse.ldapAddresses,
    meaning:
      'Servers of the directory whose people get accounts, with commas between them; the first that answers is asked. No directory is read when absent.',
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
      'Whether connections to addresses with ldap:// are encrypted by StartTLS; they have to be, unless they stay on this machine.',
  }),
  LDAP_CA_FILE: optional({
    parse: parse.text,
    meaning:
      'File with the certificates (PEM) that sign those of the servers; those that the system trusts when absent.',
    example: '/etc/drawbridge/directory-ca.pem',
  }),
  LDAP_BIND_DN: optional({
    parse: parse.text,
    meaning: 'Account by which the directory is read; anonymously when absent.',
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
    meaning: 'Entry below which people are. Required with LDAP_URLS.',
    example: 'ou=people,dc=example,dc=org',
  }),
  LDAP_USER_FILTER: required({
    parse: parse.ldapFilter,
    fallback: '(objectClass=inetOrgPerson)',
    meaning: 'Filter of people who have an account.',
  }),
  LDAP_ID_ATTRIBUTE: required({
    parse: parse.attributeName,
    fallback: 'entryUUID',
    meaning:
      'Attribute of people and groups that never changes and is never given again; objectGUID for Active Directory.',
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
      'Answer to somebody new whose name is another account: suffix gives them a user id with a number, refuse none.',
  }),
  LDAP_GROUP_BASE: optional({
    parse: parse.text,
    meaning: 'Entry below which groups are; the directory gives no groups when absent.',
    example: 'ou=groups,dc=example,dc=org',
  }),
  LDAP_GROUP_FILTER: required({
    parse: parse.ldapFilter,
    fallback: '(objectClass=groupOfNames)',
    meaning: 'Filter of groups; (objectClass=group) for Active Directory.',
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
      'Attribute with the members of a group: their entries, of people or of other groups; with memberUid, the names of people.',
  }),
  LDAP_GROUPS_OF_SAME_NAME: required({
    parse: parse.oneOf('separate', 'merge'),
    fallback: 'separate',
    meaning:
      'Answer to a group whose name is taken here: separate gives it an id with a number, merge makes both the same.',
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
      'Attribute with the time at which an entry changed, by which changes are found; whenChanged for Active Directory.',
  }),
  LDAP_SYNC_EVERY: required({
    parse: parse.duration(60_000, 86_400_000),
    fallback: '10m',
    meaning: 'How often changes are read.',
  }),
  LDAP_FULL_SYNC_EVERY: required({
    parse: parse.duration(60_000, 30 * 86_400_000),
    fallback: '6h',
    meaning: 'How often the whole directory is read, which shows who is gone.',
  }),
  LDAP_GREATEST_LOSS: required({
    parse: parse.ratio,
    fallback: '0.1',
    meaning:
      'The part of people, groups or memberships that may be gone at once; an answer with less is held back and reported. Up to five may go in any case, but never all people or all groups.',
  }),
  LDAP_GONE_ACCOUNTS: required({
    parse: parse.oneOf('end', 'disable'),
    fallback: 'end',
    meaning:
      'Answer to people who are gone: end disables the account and removes it after system/account_grace_days, disable keeps it.',
  }),
};
