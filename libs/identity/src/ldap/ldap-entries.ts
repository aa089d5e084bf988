import type { Entry } from 'ldapts';
import { parseQuota } from '../account-rules';
import type { DirectoryGroup, DirectoryPerson } from '../directory-sync/directory-content';
import { comparableName } from './distinguished-name';
import type { LdapConfig } from './ldap-settings';

const MAX_CHARACTERS = 256;

/** Values of an attribute, with its name in any spelling; binary values stay bytes. */
export function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
  const name = Object.keys(entry).find((key) => key.toLowerCase() === attribute.toLowerCase());
  return name === undefined || name === 'dn' ? [] : [entry[name]!].flat();
}

/** The first value of an attribute; undefined if there is none. */
export function textOf(entry: Entry, attribute: string | undefined): string | undefined {
  const [first] = attribute === undefined ? [] : valuesOf(entry, attribute);
  return typeof first === 'string' ? first : undefined;
}

/** A person; undefined without an id or a name. Values that are invalid for accounts are left out. */
export function personOf(entry: Entry, config: LdapConfig): DirectoryPerson | undefined {
  const [subject, name] = [idOf(entry, config), textOf(entry, config.LDAP_USER_NAME_ATTRIBUTE)];
  if (subject === undefined || !name) return undefined;
  return {
    ...{ subject, name, place: placeOfPerson(entry, name, config) },
    displayName: line(textOf(entry, config.LDAP_DISPLAY_NAME_ATTRIBUTE) ?? ''),
    email: mailAddress(textOf(entry, config.LDAP_EMAIL_ATTRIBUTE) ?? ''),
    quotaBytes: config.LDAP_QUOTA_ATTRIBUTE ? quotaOf(textOf(entry, config.LDAP_QUOTA_ATTRIBUTE)) : undefined,
  };
}

/** A group; undefined without an id or a name. */
export function groupOf(
  entry: Entry,
  members: readonly (string | Buffer)[],
  config: LdapConfig,
): DirectoryGroup | undefined {
  const [subject, name] = [idOf(entry, config), textOf(entry, config.LDAP_GROUP_NAME_ATTRIBUTE)];
  if (subject === undefined || !name) return undefined;
  const places = members.map((member) =>
    namesPeople(config) ? String(member).toLowerCase() : comparableName(String(member)),
  );
  return { subject, name, place: comparableName(entry.dn), members: places };
}

/** Whether groups list names of people, rather than their entries. */
const namesPeople = (config: LdapConfig): boolean =>
  config.LDAP_MEMBER_ATTRIBUTE.toLowerCase() === 'memberuid';

const placeOfPerson = (entry: Entry, name: string, config: LdapConfig): string =>
  namesPeople(config) ? name.toLowerCase() : comparableName(entry.dn);

function idOf(entry: Entry, { LDAP_ID_ATTRIBUTE }: LdapConfig): string | undefined {
  const [id] = valuesOf(entry, LDAP_ID_ATTRIBUTE);
  const text = Buffer.isBuffer(id) ? guidText(id) : id;
  return text === undefined || text === '' || text.length > 255 ? undefined : text;
}

/** An objectGUID in the format of Windows: the first three parts have their bytes reversed. Source: MS-DTYP, section 2.3.4. */
export function guidText(bytes: Buffer): string | undefined {
  if (bytes.length !== 16) return undefined;
  const hex = (...order: number[]): string => order.map((at) => bytes.toString('hex', at, at + 1)).join('');
  return [hex(3, 2, 1, 0), hex(5, 4), hex(7, 6), hex(8, 9), hex(10, 11, 12, 13, 14, 15)].join('-');
}

/** The bytes of a text from `guidText`. */
export function guidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replace(/-/g, ''), 'hex');
  return Buffer.from([3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((at) => bytes[at] ?? 0));
}

const line = (text: string): string =>
  [...text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(0, MAX_CHARACTERS).join('').trim();

const mailAddress = (text: string): string =>
  text.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(text) ? text : '';

/** null without a value; undefined for an invalid one, which does not change the quota. */
function quotaOf(text: string | undefined): number | null | undefined {
  try {
    return text === undefined ? null : parseQuota(text);
  } catch {
    return undefined;
  }
}
