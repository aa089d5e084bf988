import { ConfigError, readConfig } from '#platform';
import { ldapSettings } from './ldap-settings';

const env = (more: Record<string, string>): Record<string, string> => ({
  ...{ LDAP_URLS: 'ldaps://one.example,ldap://two.example:1389', LDAP_USER_BASE: 'ou=people,dc=example' },
  ...more,
});
const settingsOf = (more: Record<string, string>) => ldapSettings(readConfig(env(more)));

describe('the configuration of a directory', () => {
  it('does not exist without servers', () => {
    expect(settingsOf({ LDAP_URLS: '' })).toBeUndefined();
  });

  it('names servers in their order', () => {
    expect(settingsOf({})?.urls.map(({ host }) => host)).toEqual(['one.example', 'two.example:1389']);
  });

  it.each([
    ['no base', { LDAP_USER_BASE: '' }],
    ['an account without a password', { LDAP_BIND_DN: 'cn=reader' }],
    ['a filter that is none', { LDAP_USER_FILTER: '(&(a=b)' }],
    ['passwords that go to another machine unencrypted', { LDAP_START_TLS: 'false' }],
    ['a file that is not there', { LDAP_CA_FILE: '/nowhere/authority.pem' }],
    ['an address that is none', { LDAP_URLS: 'http://one.example' }],
    ['an address with a path', { LDAP_URLS: 'ldap://one.example/dc=example' }],
    ['an attribute that is none', { LDAP_ID_ATTRIBUTE: 'entry UUID' }],
  ])('is refused with %s', (_name, more) => {
    expect(() => settingsOf(more)).toThrow(ConfigError);
  });

  it('may go without encryption on this machine', () => {
    expect(settingsOf({ LDAP_URLS: 'ldap://[::1]', LDAP_START_TLS: 'false' })).toBeDefined();
  });
});
