import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { parseCloudId } from './federated-cloud-id';
import { peerKeyOf } from './host-and-path';
import { hostIdentity, hostOfAddress, readHostIdentity } from './host-identity';

const label = fc.stringMatching(/^[a-z]([a-z0-9]{0,8}[a-z0-9])?$/);
const unicodeLabel = fc.stringMatching(/^[a-zäöüéñ字]{2,6}$/);
const name = fc.tuple(fc.oneof(label, unicodeLabel), fc.constantFrom('.org', '.test', '.example', ''));
const ofName = name.map(([first, end]) => `${first}${end}`).filter((host) => domainToASCII(host) !== '');
const ofIpv4 = fc.ipV4().filter((address) => !address.startsWith('0.'));
const ofIpv6 = fc.ipV6().map((address) => `[${address}]`);
/** A host in its canonical spelling. */
const host = fc.oneof(ofName, ofIpv4, ofIpv6).map((text) => new URL(`http://${text}/`).hostname);
const port = fc.option(fc.integer({ min: 1, max: 65_535 }).filter((number) => ![80, 443].includes(number)));

/** Writes some letters in upper case, selected by the bits of a number. */
const inMixedCase = (text: string, bits: number): string =>
  [...text].map((letter, at) => ((bits >> (at % 30)) & 1 ? letter.toUpperCase() : letter)).join('');

const mapped = (ipv4: string): string => {
  const [a, b, c, d] = ipv4.split('.').map(Number) as [number, number, number, number];
  return `[::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}]`;
};

/** Other spellings of the same host. */
function spellings(canonical: string): string[] {
  if (canonical.startsWith('[')) return [canonical];
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(canonical)) return [canonical, `${canonical}.`];
  const whole = canonical.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  return [canonical, `${whole}`, `0x${whole.toString(16)}`, mapped(canonical), `[::ffff:${canonical}]`];
}

const usualPorts = ['', ':80', ':443'];

describe('the identity of a host', () => {
  it('is the same for all spellings', () => {
    const choice = fc.record({
      at: fc.nat(),
      bits: fc.nat(),
      scheme: fc.constantFrom('', 'https://', 'HTTPS://', 'http://'),
      usual: fc.constantFrom(...usualPorts),
      folder: fc.constantFrom('', '/', '/x', '/a/b/', '/index.php/s', '/x?y#z'),
    });
    fc.assert(
      fc.property(host, port, choice, (canonical, ownPort, { at, bits, scheme, usual, folder }) => {
        fc.pre(!(scheme === 'http://' && usual === ':443'));
        const all = spellings(canonical);
        const written = inMixedCase(all[at % all.length]!, bits);
        const tail = ownPort === null ? usual : `:${ownPort}`;
        const read = readHostIdentity(`${scheme}${written}${tail}${folder}`);
        expect(read).toBe(readHostIdentity(`${canonical}${ownPort === null ? '' : `:${ownPort}`}`));
        expect(read).toBeDefined();
      }),
      { numRuns: 3000 },
    );
  });

  it('differs for every other host and every other port', () => {
    const place = fc
      .tuple(host, port)
      .map(([text, number]) => `${text}${number === null ? '' : `:${number}`}`);
    fc.assert(
      fc.property(place, place, (one, other) => {
        const same = unmapped(one) === unmapped(other);
        expect(readHostIdentity(`${one}/x`) === readHostIdentity(other)).toBe(same);
      }),
      { numRuns: 3000 },
    );
  });

  it('depends only on the canonical address', () => {
    fc.assert(
      fc.property(host, port, fc.constantFrom('', ':80', '/x', ':80/x/y'), (text, number, tail) => {
        const place = parseCloudId(`eve@${text}${number === null ? tail : `:${number}/x`}`);
        expect(hostOfAddress(peerKeyOf(place))).toBe(hostIdentity(place));
      }),
    );
  });

  it.each([
    ['Cloud.Example.org', 'cloud.example.org'],
    ['https://bücher.example/x', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example.', 'xn--bcher-kva.example'],
    ['http://cloud.example.org:80', 'cloud.example.org'],
    ['cloud.example.org:80', 'cloud.example.org'],
    ['cloud.example.org:443/owncloud', 'cloud.example.org'],
    ['cloud.example.org:8443/owncloud', 'cloud.example.org:8443'],
    ['[2001:DB8:0:0::1]:443', '[2001:db8::1]'],
    ['[2001:db8::80]', '[2001:db8::80]'],
    ['[::FFFF:127.0.0.1]:8080/x', '127.0.0.1:8080'],
    ['[::ffff:7f00:1]', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
  ])('of %s is %s', (text, identity) => expect(readHostIdentity(text)).toBe(identity));

  it.each(['', 'a b', 'user@host@other', 'ftp://host', '[::1', 'a..b', 'host:0'])(
    'is not found in %j',
    (text) => expect(readHostIdentity(text)).toBeUndefined(),
  );
});

/** IPv6 has a second form of each IPv4 address; a generated address can have that form. */
function unmapped(place: string): string {
  const parts = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\](.*)$/.exec(place);
  if (!parts) return place;
  const [high, low] = [parseInt(parts[1]!, 16), parseInt(parts[2]!, 16)];
  return `${[high >> 8, high & 255, low >> 8, low & 255].join('.')}${parts[3]}`;
}
