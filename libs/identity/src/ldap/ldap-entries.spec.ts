import { readConfig } from '#platform';
import { guidBytes, guidText, personOf } from './ldap-entries';
import { membersOf } from './members';

describe('ids of Active Directory', () => {
  it('are written as Windows does, and found by their bytes', () => {
    const bytes = Buffer.from('33221100554477668899aabbccddeeff', 'hex');
    expect(guidText(bytes)).toBe('00112233-4455-6677-8899-aabbccddeeff');
    expect(guidBytes('00112233-4455-6677-8899-aabbccddeeff')).toEqual(bytes);
    expect(guidText(Buffer.alloc(3))).toBeUndefined();
  });
});

describe('people', () => {
  const config = readConfig({ LDAP_QUOTA_ATTRIBUTE: 'quota' });
  const entry = {
    dn: 'uid=ann,dc=example',
    entryUUID: 'e-1',
    UID: 'ann',
    cn: 'Ann\n A.',
    mail: ['a@example.org', 'b'],
  };

  it('have the values of their entry, in any spelling of its attributes', () => {
    expect(personOf({ ...entry, quota: '5 GB' }, config)).toEqual({
      ...{ subject: 'e-1', name: 'ann', place: 'uid=ann,dc=example', displayName: 'Ann  A.' },
      ...{ email: 'a@example.org', quotaBytes: 5 * 1024 ** 3 },
    });
  });

  it('keep their quota if it cannot be read, and have no mail address if it is invalid', () => {
    expect(personOf({ ...entry, quota: 'much', mail: 'none' }, config)).toMatchObject({
      email: '',
      quotaBytes: undefined,
    });
  });

  it.each([
    ['an id', { ...entry, entryUUID: [] }],
    ['a name', { ...entry, UID: '' }],
  ])('are none without %s', (_name, without) => {
    expect(personOf(without, config)).toBeUndefined();
  });
});

describe('members of a large group of Active Directory', () => {
  const parts: Record<string, object> = {
    'member;range=2-*': { 'member;range=2-3': ['c', 'd'] },
    'member;range=4-*': { 'member;range=4-*': ['e'] },
  };
  const group = { dn: 'cn=all', member: [], 'member;range=0-1': ['a', 'b'] };

  it('are read part by part', async () => {
    const read = (dn: string, part: string) => Promise.resolve({ dn, ...parts[part] });
    expect(await membersOf(group, 'member', read)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are not used if a part is missing', async () => {
    await expect(membersOf(group, 'member', () => Promise.resolve(undefined))).rejects.toThrow('completely');
  });
});
