import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { hostOfAddress, parseBoundedJson } from '#federation/protocol';
import { signatureVectors } from '../../../testing/src/partners/signed-requests';
import { readJwks, readPublicKeyMember, writeJwks } from './partner-keys';

const HOST = hostOfAddress('a.example.org');
const KEY_ID = 'https://a.example.org/ocm#key';

const jwkOf = (key: KeyObject): Record<string, unknown> => ({
  ...key.export({ format: 'jwk' }),
  kid: KEY_ID,
});
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey;

/** A number of this size that is no product of two primes. Only an owner of the key could notice that. */
const rsaOfBytes = (bytes: number) => ({
  ...{ kty: 'RSA', e: 'AQAB', kid: KEY_ID },
  n: Buffer.alloc(bytes, 255).toString('base64url'),
});

const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ED25519 = generateKeyPairSync('ed25519');
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;
const RSA = rsa(2048);
const P256_JWK = jwkOf(P256.publicKey);

const jwks = (...keys: unknown[]) =>
  readJwks(JSON.stringify({ keys })).map(({ keyId, kind }) => [keyId, kind]);

describe('a JWKS document', () => {
  it('gives the supported keys', () => {
    const keys = [
      { ...P256_JWK, kid: `${KEY_ID}-1`, alg: 'ES256', use: 'sig' },
      { ...jwkOf(ED25519.publicKey), kid: 'a.example.org#key2', alg: 'EdDSA' },
      { ...jwkOf(RSA), kid: `${KEY_ID}-3`, alg: 'RS512', key_ops: ['verify'], x5c: ['...'] },
      { ...jwkOf(ED25519.publicKey), kid: `${KEY_ID}-4`, alg: 'Ed25519' },
      { ...jwkOf(P384), kid: 'key-1', alg: 'ES384' },
    ];
    expect(jwks(...keys)).toEqual([
      [`${KEY_ID}-1`, 'p256'],
      ['a.example.org#key2', 'ed25519'],
      [`${KEY_ID}-3`, 'rsa'],
      [`${KEY_ID}-4`, 'ed25519'],
      ['key-1', 'p384'],
    ]);
  });

  it.each<[string, unknown]>([
    ['with an empty id', { ...P256_JWK, kid: '' }],
    ['with spaces in its id', { ...P256_JWK, kid: 'key 1' }],
    ['with an id that is too long', { ...P256_JWK, kid: 'x'.repeat(513) }],
    ['without an id', { ...P256_JWK, kid: undefined }],
    ['with an id of another type', { ...P256_JWK, kid: 7 }],
    ['for encryption', { ...P256_JWK, use: 'enc' }],
    ['of another algorithm', { ...P256_JWK, alg: 'EdDSA' }],
    ['without an algorithm of signatures', { ...P256_JWK, alg: 'none' }],
    ['with an algorithm of another type', { ...P256_JWK, alg: null }],
    ['of another curve', jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey)],
    ['of a curve of blockchains', jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey)],
    ['of Ed448', jwkOf(generateKeyPairSync('ed448').publicKey)],
    ['of X25519', jwkOf(generateKeyPairSync('x25519').publicKey)],
    ['off its curve', { ...P256_JWK, y: P256_JWK['x'] }],
    ['cut short', { ...P256_JWK, x: String(P256_JWK['x']).slice(4) }],
    ['without half of it', { ...P256_JWK, y: undefined }],
    ['with numbers in it', { ...P256_JWK, y: 7 }],
    ['with its private half', { ...jwkOf(P256.privateKey) }],
    ['that is a shared secret', { kty: 'oct', k: 'c2VjcmV0', kid: KEY_ID }],
    ['of RSA that is too small', jwkOf(rsa(1024))],
    ['of RSA that is too large', rsaOfBytes(1025)],
    ['of RSA that is far too large', rsaOfBytes(2048)],
    ['of RSA with the exponent 1', { ...jwkOf(RSA), e: 'AQ' }],
    ['of RSA with a huge exponent', { ...jwkOf(RSA), e: Buffer.alloc(64, 255).toString('base64url') }],
    ['that is no object', 'key'],
    ['that is nothing', null],
  ])('leaves out a key %s, and nothing else', (_, key) => {
    const good = { ...P256_JWK, kid: `${KEY_ID}-good` };
    expect(jwks(key, good)).toEqual([[`${KEY_ID}-good`, 'p256']]);
  });

  it('takes RSA keys of any size between', () => {
    expect(jwks(rsaOfBytes(256))).toEqual([[KEY_ID, 'rsa']]);
    expect(jwks(rsaOfBytes(1024))).toEqual([[KEY_ID, 'rsa']]);
    expect(jwks(rsaOfBytes(255))).toEqual([]);
  });

  it('uses the first of two keys with one id', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const [key] = readJwks(JSON.stringify({ keys: [P256_JWK, jwkOf(other)] }));
    expect(key!.key.equals(P256.publicKey)).toBe(true);
  });

  it.each([
    ['', 'nothing'],
    ['<html>', 'a page'],
    ['[]', 'a list'],
    ['null', 'null'],
    ['{"keys":{}}', 'an object of keys'],
    [JSON.stringify({ keys: Array(33).fill(P256_JWK) }), 'too many keys'],
    [JSON.stringify({ keys: [P256_JWK], more: 'x'.repeat(70_000) }), 'too much'],
    [`{"keys":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'too much nesting'],
  ])('has no keys: %#', (text) => {
    expect(readJwks(text)).toEqual([]);
  });

  it('is the stored form of keys', () => {
    const keys = signatureVectors().map(({ publicKey }) => publicKey);
    const again = readJwks(writeJwks(keys));
    expect(again.map(({ keyId, kind }) => [keyId, kind])).toEqual(
      keys.map(({ keyId, kind }) => [keyId, kind]),
    );
    expect(again.every(({ key }, at) => key.equals(keys[at]!.key))).toBe(true);
  });
});

describe('the member publicKey', () => {
  const read = (publicKeyPem: unknown, keyId: unknown = KEY_ID) =>
    readPublicKeyMember({ keyId, publicKeyPem }, HOST)?.kind;

  it('gives the key', () => {
    expect(read(pemOf(RSA))).toBe('rsa');
    expect(read(pemOf(RSA).replaceAll('\n', '\r\n').trim())).toBe('rsa');
    expect(read(pemOf(ED25519.publicKey))).toBe('ed25519');
  });

  it.each<[string, unknown, unknown?]>([
    ['of another host', pemOf(RSA), 'https://a.example.org.evil.example/ocm#key'],
    ['without an id', pemOf(RSA), null],
    ['that is small', pemOf(rsa(1024))],
    ['of RSA-PSS', pemOf(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey)],
    ['that is private', P256.privateKey.export({ format: 'pem', type: 'pkcs8' })],
    ['with another before it', `${pemOf(RSA)}${pemOf(RSA)}`],
    ['that is damaged', pemOf(RSA).replace('MII', 'AAA')],
    ['that is long', `${pemOf(RSA)}${' '.repeat(2_400)}`],
    ['that is no text', 7],
    ['that is not there', undefined],
  ])('gives no key %s', (_, pem, keyId = KEY_ID) => {
    expect(read(pem, keyId)).toBeUndefined();
  });

  it.each([null, undefined, 'key', []])('is not %p', (value) => {
    expect(readPublicKeyMember(value, HOST)).toBeUndefined();
  });
});

describe('documents with random errors', () => {
  const documents = [
    writeJwks(signatureVectors().map(({ publicKey }) => publicKey)),
    JSON.stringify({ keyId: KEY_ID, publicKeyPem: pemOf(RSA) }),
  ];
  const spoiled = fc.tuple(
    fc.constantFrom(...documents),
    fc.nat(),
    fc.nat(20),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );

  it('give keys or none, and never break the reader', () => {
    let found = 0;
    fc.assert(
      fc.property(spoiled, ([document, place, length, word]) => {
        const at = place % document.length;
        const text = `${document.slice(0, at)}${word}${document.slice(at + length)}`;
        const member = parseBoundedJson(text);
        found += readJwks(text).length + (readPublicKeyMember(member, HOST) ? 1 : 0);
      }),
      { seed: 20261121, numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(100);
  });
});
