import fc from 'fast-check';
import { cidrList } from '../config/parsers';
import { isTrusted } from './trusted-address';

const RANGES = cidrList.parse('10.0.0.0/8,192.168.1.7,fd00::/8');

describe('a trusted address', () => {
  it.each([
    ['10.0.0.1', true],
    ['10.255.255.255', true],
    ['11.0.0.1', false],
    ['192.168.1.7', true],
    ['192.168.1.8', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:11.1.2.3', false],
    ['fd12::1', true],
    ['fe80::1', false],
    ['::1', false],
    ['', false],
    ['unknown', false],
    ['10.0.0.1:8080', false],
    ['10.0.0.1, 10.0.0.2', false],
  ])('%j is trusted: %s', (address, trusted) => {
    expect(isTrusted(address, RANGES)).toBe(trusted);
  });

  it('is none where no range is given', () => {
    fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => !isTrusted(address, [])));
  });

  it('is decided without an error for any header', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (address) => {
        expect(typeof isTrusted(address, RANGES)).toBe('boolean');
      }),
    );
  });
});
