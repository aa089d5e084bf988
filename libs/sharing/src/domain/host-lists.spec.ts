import { mayFederateWith, policyFrom } from './policy';
import { parseSettingValue } from './settings';

describe('a list of hosts', () => {
  it.each([
    ['["Cloud.Example.org"]', '["cloud.example.org"]'],
    ['cloud.example.org, other.org:8443', '["cloud.example.org","other.org:8443"]'],
    ['["host.org/Cloud"]', '["host.org/Cloud"]'],
    ['["[2001:DB8::1]:8443"]', '["[2001:db8::1]:8443"]'],
    ['[]', '[]'],
    ['', '[]'],
  ])('%s is kept as %s', (raw, kept) => {
    expect(parseSettingValue('hosts', raw)).toBe(kept);
  });

  it.each(['["https://a.org"]', '["a b.org"]', '["bob@a.org"]', '["*.a.org"]', '[""]', '[1]', '{}'])(
    '%s is none',
    (raw) => {
      expect(parseSettingValue('hosts', raw)).toBeUndefined();
    },
  );
});

describe('whether shares are exchanged with a host', () => {
  const policy = (allowed: readonly string[], denied: readonly string[]) =>
    policyFrom(
      new Map([
        ['federatedfilesharing/allowed_hosts', JSON.stringify(allowed)],
        ['federatedfilesharing/denied_hosts', JSON.stringify(denied)],
      ]),
    );

  it.each<[string, string[], string[], boolean]>([
    ['a.org', [], [], true],
    ['a.org', ['a.org'], [], true],
    ['b.a.org', ['a.org'], [], false],
    ['a.org:8443', ['a.org'], [], false],
    ['a.org:8443', ['a.org:8443'], [], true],
    ['a.org', ['a.org'], ['a.org'], false],
    ['a.org:8443/cloud', [], ['a.org'], false],
    ['b.a.org', [], ['a.org'], true],
    ['a.org', [], ['a.org:8443'], true],
    ['[2001:db8::1]:8443', [], ['[2001:db8::1]'], false],
  ])('%s with %j allowed and %j denied: %s', (host, allowed, denied, expected) => {
    expect(mayFederateWith(policy(allowed, denied), host)).toBe(expected);
  });
});
