import { parseHostAndPath, peerKeyOf } from '../addresses/host-and-path';
import { hostOfAddress } from '../addresses/host-identity';
import { hostNamedBy } from './key-identity';

describe('the host of a key id', () => {
  it.each([
    ['https://nc.example.org/ocm#signature', 'nc.example.org'],
    ['https://NC.Example.ORG./index.php/ocm#signature', 'nc.example.org'],
    ['https://nc.example.org:443/ocm#signature', 'nc.example.org'],
    ['https://nc.example.org:8443/cloud/ocm#signature', 'nc.example.org:8443'],
    ['http://nc.example.org:80/ocm', 'nc.example.org'],
    ['http://nc.example.org:8080', 'nc.example.org:8080'],
    ['a.example.org#key1', 'a.example.org'],
    ['a.example.org', 'a.example.org'],
    ['a.example.org?key=1', 'a.example.org'],
    ['[2001:db8::1]:8443#key', '[2001:db8::1]:8443'],
    ['https://bücher.example#key', 'xn--bcher-kva.example'],
  ])('%s is of %s', (keyId, host) => {
    expect(hostNamedBy(keyId)).toBe(host);
  });

  it.each([
    '',
    '#key1',
    '/ocm#signature',
    'https://',
    'https:///ocm',
    'https://a.example.org@evil.example/ocm#signature',
    'https://a.example.org%2f@evil.example/ocm',
    'ftp://a.example.org/key',
    'https://a.example.org:0/',
    'https://a.example.org:99999/',
    'https://a..example/',
    'https://a.example.org/with space',
    'https://a.example.org\\evil.example/',
    'did:web:a.example.org',
    `https://a.example.org/${'x'.repeat(512)}`,
  ])('%s is of nobody', (keyId) => {
    expect(hostNamedBy(keyId)).toBeUndefined();
  });
});

describe('a signature', () => {
  const host = hostNamedBy('https://a.example.org/ocm#signature')!;

  it.each([
    ['a.example.org', true],
    ['A.example.org:443/cloud', true],
    ['a.example.org:8443', false],
    ['evil.a.example.org', false],
    ['a.example.org.evil.example', false],
    ['example.org', false],
  ])('is of the server at %s: %s', (place, expected) => {
    expect(hostOfAddress(peerKeyOf(parseHostAndPath(place, null)!)) === host).toBe(expected);
  });

  it('of an address without a name is told from its path', () => {
    expect(hostOfAddress('[2001:db8::1]:8443/cloud')).toBe('[2001:db8::1]:8443');
  });
});
