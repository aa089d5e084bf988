import { parseContentDigest, parseDigest } from './digest-fields';
import { SignatureRefused } from './signature-refused';

const SHA256 = 'dzmNuum/pt7UGEhOINWZ6aEhR/VUPHaC5r+FNHy0zYA=';
const sha256 = { algorithm: 'sha-256', value: SHA256 };
const md5 = 'CY9rzUYh03PK3k6DJie09g==';

describe('Digest', () => {
  it.each([
    [`SHA-256=${SHA256}`, [sha256]],
    [`sha-256=${SHA256}`, [sha256]],
    [`MD5=${md5}, SHA-256=${SHA256}`, [sha256]],
    [`SHA-256=${SHA256},SHA-256=${SHA256}`, [sha256, sha256]],
    [`SHA-512=AAAA,SHA-256=${SHA256}`, [{ algorithm: 'sha-512', value: 'AAAA' }, sha256]],
  ])('%.60s is read', (text, expected) => {
    expect(parseDigest(text)).toEqual(expected);
  });

  it.each([
    ['', 'malformed'],
    [SHA256, 'malformed'],
    [`SHA-256=${SHA256},`, 'malformed'],
    [`SHA-256:${SHA256}`, 'malformed'],
    [`SHA-256=${SHA256.slice(0, -1)}`, 'malformed'],
    [`SHA-256=${SHA256.replace('A=', 'B=')}`, 'malformed'],
    [`MD5=${md5}`, 'unsupported'],
    [Array<string>(9).fill(`SHA-256=${SHA256}`).join(), 'malformed'],
    [`SHA-256=${'A'.repeat(1024)}`, 'malformed'],
  ] as const)('%.60s is refused', (text, refusal) => {
    expect(() => parseDigest(text)).toThrow(new SignatureRefused(refusal, 'digest'));
  });
});

describe('Content-Digest', () => {
  it.each([
    [`sha-256=:${SHA256}:`, [sha256]],
    [`md5=:${md5}:, sha-256=:${SHA256}:`, [sha256]],
  ])('%.60s is read', (text, expected) => {
    expect(parseContentDigest(text)).toEqual(expected);
  });

  it.each([
    [`sha-256=${SHA256}`, 'malformed'],
    [`sha-256="${SHA256}"`, 'malformed'],
    [`sha-256=(:${SHA256}:)`, 'malformed'],
    [`SHA-256=:${SHA256}:`, 'malformed'],
    [`sha-256=:${SHA256}:,sha-256=:${SHA256}:`, 'malformed'],
    [`md5=:${md5}:`, 'unsupported'],
    ['', 'unsupported'],
  ] as const)('%.60s is refused', (text, refusal) => {
    expect(() => parseContentDigest(text)).toThrow(new SignatureRefused(refusal, 'content-digest'));
  });
});
