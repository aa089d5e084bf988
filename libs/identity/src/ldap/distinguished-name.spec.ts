import { comparableName } from './distinguished-name';

describe('distinguished names', () => {
  it.each([
    ['uid=ann,ou=people,dc=example,dc=org', 'UID=Ann, OU=People , DC=Example,DC=Org'],
    ['cn=doe\\, john,dc=example', 'cn=Doe\\2C John,dc=example'],
    ['cn=José,dc=example', 'cn=Jos\\C3\\A9,dc=example'],
    ['cn=a\\+b,dc=example', 'cn=a\\2bb,dc=example'],
    ['cn=a+sn=b,dc=example', 'CN=a + SN=b,DC=example'],
  ])('%j is the same as %j', (one, other) => {
    expect(comparableName(other)).toBe(comparableName(one));
  });

  it.each([
    ['cn=a\\,b,dc=example', 'cn=a,b=,dc=example'],
    ['cn=a\\2Cdc=x,dc=example', 'cn=a,dc=x,dc=example'],
    ['cn=a,dc=example', 'cn=b,dc=example'],
  ])('%j is another than %j', (one, other) => {
    expect(comparableName(other)).not.toBe(comparableName(one));
  });

  it('has none for a name that is too long', () => {
    expect(comparableName(`cn=${'a'.repeat(3000)}`)).toBe('');
  });
});
