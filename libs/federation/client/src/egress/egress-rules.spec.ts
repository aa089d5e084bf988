import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { arrivalRefusal } from './guarded-connector';
import { addressRefusalOf, type EgressRules } from './egress-rules';

const PUBLIC_ONLY: EgressRules = { allowHttp: false, allowAddresses: [] };
const naming = (range: string, allowHttp = false): EgressRules => ({
  allowHttp,
  allowAddresses: [ipaddr.parseCIDR(range)],
});

describe('the rules for addresses', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])(
    'allow https to %s',
    (address) => expect(addressRefusalOf(address, 'https', PUBLIC_ONLY)).toBeUndefined(),
  );

  it.each([
    ['this host', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['the next of loopback', '127.0.0.2'],
    ['all of loopback', '127.255.0.9'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local', '169.254.0.1'],
    ['metadata of most clouds', '169.254.169.254'],
    ['metadata of Alibaba', '100.100.100.200'],
    ['metadata of Oracle', '192.0.0.192'],
    ['the wire server of Azure', '168.63.129.16'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['benchmarking', '198.18.0.1'],
    ['protocol assignments', '192.0.0.8'],
    ['6to4 relays', '192.88.99.1'],
    ['IPv6 unspecified', '::'],
    ['IPv6 loopback', '::1'],
    ['unique local', 'fd00:ec2::254'],
    ['IPv6 link-local', 'fe80::1'],
    ['IPv6 link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['IPv6 multicast', 'ff02::1'],
    ['IPv6 documentation', '2001:db8::1'],
    ['IPv6 documentation', '3fff::1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped private', '::ffff:0a00:0001'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a public address', '64:ff9b::5db8:d822'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:7f00:1::'],
    ['discard', '100::1'],
    ['segment routing', '5f00::1'],
    ['not assigned', '4000::1'],
    ['no address', 'localhost'],
    ['nothing', ''],
  ])('refuse %s: %s', (_what, address) => {
    expect(addressRefusalOf(address, 'https', PUBLIC_ONLY)).toBe('blocked');
  });

  it.each([
    ...[
      '0.0.0.0/8',
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
    ],
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ])('refuse every address of %s, also as IPv6', (range) => {
    const [first, bits] = ipaddr.IPv4.parseCIDR(range);
    const start = first.toByteArray().reduce((sum, byte) => sum * 256 + byte, 0);
    fc.assert(
      fc.property(fc.nat(2 ** (32 - bits) - 1), (offset) => {
        const address = [24, 16, 8, 0].map((shift) => ((start + offset) >>> shift) & 255).join('.');
        expect(addressRefusalOf(address, 'https', PUBLIC_ONLY)).toBe('blocked');
        expect(addressRefusalOf(`::ffff:${address}`, 'https', PUBLIC_ONLY)).toBe('blocked');
      }),
    );
  });

  it.each([
    ['127.0.0.0/8', '127.0.0.1', undefined],
    ['127.0.0.0/8', '::ffff:127.0.0.1', undefined],
    ['127.0.0.0/8', '::1', 'blocked'],
    ['127.0.0.0/8', '64:ff9b::7f00:1', 'blocked'],
    ['10.1.0.0/16', '10.1.2.3', undefined],
    ['10.1.0.0/16', '10.2.0.1', 'blocked'],
    ['fd00::/8', 'fd12::1', undefined],
    ['64:ff9b::/96', '64:ff9b::5db8:d822', undefined],
  ])('with %s allowed, the refusal of %s: %s', (range, address, refusal) => {
    expect(addressRefusalOf(address, 'https', naming(range))).toBe(refusal);
  });

  it('allow http only to named addresses, and only if it is switched on', () => {
    expect(addressRefusalOf('127.0.0.1', 'http', naming('127.0.0.0/8', true))).toBeUndefined();
    expect(addressRefusalOf('127.0.0.1', 'http', naming('127.0.0.0/8', false))).toBe('blocked-http');
    expect(addressRefusalOf('93.184.216.34', 'http', naming('127.0.0.0/8', true))).toBe('blocked-http');
    expect(addressRefusalOf('10.0.0.1', 'http', naming('127.0.0.0/8', true))).toBe('blocked');
  });

  it('check the address of the opened connection again', () => {
    expect(arrivalRefusal({ remoteAddress: '93.184.216.34' }, 'https', PUBLIC_ONLY)).toBeUndefined();
    expect(arrivalRefusal({ remoteAddress: '::ffff:10.0.0.1' }, 'https', PUBLIC_ONLY)).toBe('blocked');
    expect(arrivalRefusal({ remoteAddress: undefined }, 'https', PUBLIC_ONLY)).toBe('blocked');
  });
});
