import { createHash, createPublicKey } from 'node:crypto';
import { hostOfAddress, type SigningAlgorithm } from '#federation/protocol';
import { knownKeys, received, seenInMemory } from '../../../testing/src/partners/signed-requests';
import { keysInUse, planRotation, type KeyTimes } from './key-rotation';
import { readJwks, readPublicKeyMember } from './partner-keys';
import { jwksDocument, publicKeyMember, type PublicSigningKey } from './published-keys';
import { signRequest } from './sign-request';
import { createSigningKey, openSigningKey, type NewSigningKey } from './signing-key';
import { verifyRequest } from './verify-request';

const PUBLIC_URL = 'https://share.example.org';
const HOST = hostOfAddress('share.example.org');
const ALGORITHMS: readonly SigningAlgorithm[] = ['rsa-sha512', 'ecdsa-p256-sha256', 'ed25519'];
const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-21T12:00:00Z');
const after = (hours: number, from = NOW): Date => new Date(from.getTime() + hours * HOUR_MS);

let made: NewSigningKey[];
beforeAll(async () => {
  made = await Promise.all(ALGORITHMS.map(createSigningKey));
});

const stored = (times: Partial<KeyTimes> = {}): PublicSigningKey[] =>
  made.map(({ id, algorithm, publicJwk }) => ({
    id,
    algorithm,
    publicJwk,
    notBefore: NOW,
    retiredAt: null,
    ...times,
  }));

/** The keys, as a partner reads them in our published documents. */
function asPartnersSee(keys: readonly PublicSigningKey[], now: Date) {
  const inUse = keysInUse(keys, now);
  const member = readPublicKeyMember(publicKeyMember(inUse, PUBLIC_URL), HOST);
  return [...readJwks(JSON.stringify(jwksDocument(inUse, PUBLIC_URL))), ...(member ? [member] : [])];
}

describe('our own keys', () => {
  it('make signatures that partners accept with our published keys', async () => {
    const keys = knownKeys(asPartnersSee(stored(), NOW));
    for (const key of made) {
      const request = { method: 'POST', url: 'https://b.example.org/ocm/shares', body: Buffer.from('{}') };
      const added = await signRequest(request, openSigningKey(key, PUBLIC_URL), NOW.getTime());
      const headers = Object.entries({ host: 'b.example.org', 'content-length': '2', ...added });
      const context = { keys, seen: seenInMemory(), now: NOW.getTime() };
      expect(await verifyRequest(received({ ...request, headers, body: '{}' }), context)).toEqual({
        kind: 'valid',
        keyId: `${PUBLIC_URL}/ocm#${key.id}`,
        algorithm: key.algorithm,
        host: HOST,
      });
    }
  });

  it('are published with an algorithm, without private parts', () => {
    const document = jwksDocument(keysInUse(stored(), NOW), PUBLIC_URL);
    expect(document.keys.map(({ alg, use, crv }) => [alg, use, crv])).toEqual([
      ['ES256', 'sig', 'P-256'],
      ['EdDSA', 'sig', 'Ed25519'],
    ]);
    expect(JSON.stringify(document)).not.toMatch(/"d"/);
    expect(publicKeyMember(keysInUse(stored(), NOW), PUBLIC_URL)?.publicKeyPem).toMatch(
      /^-----BEGIN PUBLIC KEY-----\n/,
    );
  });

  it('publish an empty key set and no public key before a key exists', () => {
    const none = keysInUse([], NOW);
    expect(jwksDocument(none, PUBLIC_URL)).toEqual({ keys: [] });
    expect(publicKeyMember(none, PUBLIC_URL)).toBeUndefined();
  });

  it('are in publicKey only if they are for cavage', () => {
    const newer = stored().filter(({ algorithm }) => algorithm !== 'rsa-sha512');
    expect(publicKeyMember(keysInUse(newer, NOW), PUBLIC_URL)).toBeUndefined();
    const all = publicKeyMember(keysInUse(stored().reverse(), NOW), PUBLIC_URL);
    expect(all?.keyId).toBe(`${PUBLIC_URL}/ocm#${made[0]!.id}`);
  });

  it('have ids that name their algorithm', async () => {
    const ids = made.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\w-]{43}$/);
    const key = createPublicKey({ key: made[0]!.publicJwk, format: 'jwk' });
    expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 });
    expect((await createSigningKey('ed25519')).id).not.toBe(made[2]!.id);
  });

  it('show no private part in logs', () => {
    for (const key of made) {
      expect(key.privateKey.reveal()).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
      expect(JSON.stringify(key)).not.toContain('PRIVATE');
      expect(JSON.stringify(openSigningKey(key, PUBLIC_URL))).not.toContain('PRIVATE');
    }
  });

  it('have the thumbprint of RFC 7638 as their id', () => {
    const [rsa, p256, ed25519] = made.map(({ publicJwk }) => publicJwk);
    const texts = [
      `{"e":"${rsa!.e}","kty":"RSA","n":"${rsa!.n}"}`,
      `{"crv":"P-256","kty":"EC","x":"${p256!.x}","y":"${p256!.y}"}`,
      `{"crv":"Ed25519","kty":"OKP","x":"${ed25519!.x}"}`,
    ];
    const thumbprints = texts.map((text) => createHash('sha256').update(text).digest('base64url'));
    expect(made.map(({ id }) => id)).toEqual(thumbprints);
  });
});

interface NamedKey extends KeyTimes {
  readonly name: string;
}

describe('a rotation', () => {
  const key = (name: string, notBefore: Date, retiredAt: Date | null = null): NamedKey => ({
    name,
    algorithm: 'ecdsa-p256-sha256',
    notBefore,
    retiredAt,
  });
  const at = (keys: readonly NamedKey[], now: Date) => {
    const { signing, published } = keysInUse(keys, now);
    return { signs: signing.get('ecdsa-p256-sha256')?.name, published: published.map(({ name }) => name) };
  };

  it('publishes the new key, then signs with it, then drops the old one', () => {
    const plan = planRotation('ecdsa-p256-sha256', 'planned', NOW);
    const keys = [key('old', after(-1000), plan.predecessorsRetireAt), key('new', plan.notBefore)];
    expect(at(keys, NOW)).toEqual({ signs: 'old', published: ['old', 'new'] });
    expect(at(keys, new Date(plan.notBefore.getTime() - 1))).toEqual({
      signs: 'old',
      published: ['old', 'new'],
    });
    expect(at(keys, plan.notBefore)).toEqual({ signs: 'new', published: ['old', 'new'] });
    expect(at(keys, after(-0.001, plan.predecessorsRetireAt))).toEqual({
      signs: 'new',
      published: ['old', 'new'],
    });
    expect(at(keys, plan.predecessorsRetireAt)).toEqual({ signs: 'new', published: ['new'] });
  });

  it('waits longer than partners cache a JWKS, and longer than a signature is valid', () => {
    const plan = planRotation('ecdsa-p256-sha256', 'planned', NOW);
    expect(plan.notBefore.getTime() - NOW.getTime()).toBeGreaterThan(HOUR_MS);
    expect(plan.predecessorsRetireAt.getTime() - plan.notBefore.getTime()).toBeGreaterThan(HOUR_MS);
  });

  it('of the key in publicKey takes effect at once, because there is only one', () => {
    expect(planRotation('rsa-sha512', 'planned', NOW)).toEqual({
      notBefore: NOW,
      predecessorsRetireAt: after(24),
    });
  });

  it('after a leak keeps no old key', () => {
    const plan = planRotation('ecdsa-p256-sha256', 'leaked', NOW);
    const keys = [key('leaked', after(-1000), plan.predecessorsRetireAt), key('new', plan.notBefore)];
    expect(at(keys, NOW)).toEqual({ signs: 'new', published: ['new'] });
  });

  it('during another rotation still signs with one key at a time', () => {
    const keys = [
      key('first', after(-9), after(26)),
      key('second', after(2), after(27)),
      key('third', after(3)),
    ];
    const signs = [0, 1.9, 2, 2.9, 3, 30].map((hours) => at(keys, after(hours)).signs);
    expect(signs).toEqual(['first', 'first', 'second', 'second', 'third', 'third']);
  });

  it('of one algorithm leaves the others alone', () => {
    const keys = [key('es256', NOW), { ...key('rsa', after(-1)), algorithm: 'rsa-sha512' as const }];
    const { signing } = keysInUse(keys, NOW);
    expect([...signing].map(([algorithm, { name }]) => [algorithm, name]).sort()).toEqual([
      ['ecdsa-p256-sha256', 'es256'],
      ['rsa-sha512', 'rsa'],
    ]);
  });

  it('uses a waiting key early if there is no other key, because clocks differ', () => {
    const keys = [key('later', after(2)), key('first', after(1))];
    expect(at(keys, NOW)).toEqual({ signs: 'first', published: ['later', 'first'] });
  });
});
