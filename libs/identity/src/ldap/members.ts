import type { Entry } from 'ldapts';
import { LdapFailure } from './ldap-connection';
import { valuesOf } from './ldap-entries';

const MOST_PARTS = 1000;

/**
 * All members of a group. Active Directory sends those of large groups in parts, under names such as `member;range=0-1499`;
 * the last one ends with `*`. Source: MS-ADTS, section 3.1.1.3.1.3.3.
 * @param read requests a part of the entry with this name
 */
export async function membersOf(
  group: Entry,
  attribute: string,
  read: (dn: string, part: string) => Promise<Entry | undefined>,
): Promise<(string | Buffer)[]> {
  const members = valuesOf(group, attribute);
  let part = partOf(group, attribute);
  for (let count = 0; part; count++) {
    members.push(...valuesOf(part.entry, part.name));
    if (part.last === '*') return members;
    if (count > MOST_PARTS) throw new LdapFailure('a group has too many members');
    const next = await read(group.dn, `${attribute};range=${Number(part.last) + 1}-*`);
    part = next && partOf(next, attribute);
    if (!part) throw new LdapFailure('the members of a group did not come completely');
  }
  return members;
}

interface Part {
  readonly entry: Entry;
  readonly name: string;
  readonly last: string;
}

function partOf(entry: Entry, attribute: string): Part | undefined {
  for (const name of Object.keys(entry)) {
    const [, plain, last] = /^(.+);range=\d+-(\d+|\*)$/i.exec(name) ?? [];
    if (plain?.toLowerCase() === attribute.toLowerCase() && last !== undefined) return { entry, name, last };
  }
  return undefined;
}
