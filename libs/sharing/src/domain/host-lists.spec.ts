import { mayFederateWith, policyFrom } from './policy';
import { parseSettingValue } from './settings';

describe('a list of hosts', () => {
  it.each([
    ['["Cloud.Example.org"]', '["cloud.example.org"]'],
    ['cloud.example.org, other.org:8443', '["cloud.example.org","other.org:8443"]'],
    ['["host.org/Cloud"]', '["host.org"]'],
    ['["Bücher.example:443/x"]', '["xn--bcher-kva.example"]'],
    ['["[::FFFF:192.0.2.1]:8443"]', '["192.0.2.1:8443"]'],
    ['["[2001:DB8::1]:8443"]', '["[2001:db8::1]:8443"]'],
    ['[]', '[]'],
    ['', '[]'],
  ])('%s is kept as %s', (raw, kept) => {
    expect(parseSettingValue('hosts', raw)).toBe(kept);
  });

  it.each(['["https://a.org"]', '["a b.org"]', '["bob@a.org"]', '["*.a.org"]', '[""]', '[1]', '{}'])(
    '%s is no list',
    (raw) => {
      expect(parseSettingValue('hosts', raw)).toBeUndefined();
    },
  );
});

describe('the rule for shares with a host', () => {
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
    ['a.org/cloud', ['a.org'], [], true],
    ['a.org/cloud', [], ['a.org'], false],
    ['a.org:80', [], ['a.org'], false],
    ['a.org:8443/cloud', [], ['a.org:8443'], false],
    ['a.org', [], ['a.org/cloud'], false],
    ['xn--bcher-kva.example', [], ['bücher.example'], false],
    ['192.0.2.1', [], ['[::ffff:192.0.2.1]'], false],
    ['a.org', ['no host'], [], false],
  ])('%s with %j allowed and %j denied: %s', (host, allowed, denied, expected) => {
    expect(mayFederateWith(policy(allowed, denied), host)).toBe(expected);
  });
});

describe('a list of servers of mail domains', () => {
  it.each([
    ['["Mail.Example=Cloud.Example.org"]', '["mail.example=cloud.example.org"]'],
    [
      'bücher.example = host.org:8443, a.example=b.example',
      '["xn--bcher-kva.example=host.org:8443","a.example=b.example"]',
    ],
    ['[]', '[]'],
  ])('%s is kept as %s', (raw, kept) => {
    expect(parseSettingValue('mail-servers', raw)).toBe(kept);
    const stored = policyFrom(new Map([['federation/mail_servers', kept]])).federation.mailServers;
    expect([...stored].map((entry) => entry.join('='))).toEqual(JSON.parse(kept));
  });

  it.each([
    '["mail.example"]',
    '["mail.example="]',
    '["=host.org"]',
    '["a.org=b.org=c.org"]',
    '["127.0.0.1=b.org"]',
    '["a.org:25=b.org"]',
    '["a.org=*.b.org"]',
    '{}',
  ])('%s is no list', (raw) => {
    expect(parseSettingValue('mail-servers', raw)).toBeUndefined();
  });
});
