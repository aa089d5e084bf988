import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { hostOfAddress, SignatureRefused } from '#federation/protocol';
import {
  knownKeys,
  partnerKeyOf,
  received,
  seenInMemory,
  SIGNED_AT,
  signatureVectors,
  VECTOR_BODY,
  type WrittenRequest,
} from '../../../testing/src/partners/signed-requests';
import { signRequest } from './sign-request';
import type { PartnerKeys } from './ports';
import { verifyRequest, type VerificationContext } from './verify-request';

const VECTORS = signatureVectors();
const [RSA, ED25519, ES256] = [VECTORS[0]!, VECTORS[1]!, VECTORS[2]!];
const KEYS = knownKeys(VECTORS.map(({ publicKey }) => publicKey));

function verify(
  request: WrittenRequest,
  { keys = KEYS, seen = seenInMemory(), now = SIGNED_AT }: Partial<VerificationContext> = {},
) {
  return verifyRequest(received(request), { keys, seen, now });
}

/** A request that a partner signed with its key, for us or for another server. */
async function signed(
  vector: typeof RSA,
  url: string,
  { body = VECTOR_BODY, keyId = vector.keyId, at = SIGNED_AT, method = 'POST' } = {},
) {
  const key = { keyId, algorithm: vector.algorithm, key: vector.privateKey };
  const added = await signRequest({ method, url, body: Buffer.from(body) }, key, at);
  const length = String(Buffer.byteLength(body));
  const headers = Object.entries({ host: new URL(url).host, 'content-length': length, ...added });
  return { method, url, headers, body };
}

const OURS = 'https://b.example.org/ocm/notifications';

describe('a signed request', () => {
  it.each(VECTORS.map((vector) => [vector.algorithm, vector] as const))(
    'is accepted once by all replicas with the same memory: %s',
    async (_, vector) => {
      const seen = seenInMemory();
      expect(await verify(vector.request, { seen })).toMatchObject({ kind: 'valid' });
      const later = { seen, now: SIGNED_AT + 299_000 };
      expect(await verify(vector.request, later)).toEqual({
        kind: 'invalid',
        reason: 'replayed',
        detail: '',
      });
      expect(seen.untils[0]).toEqual(new Date(SIGNED_AT + 300_000));
    },
  );

  it('is not remembered if it is refused, so nobody else can use up a message', async () => {
    const seen = seenInMemory();
    const forged = {
      ...ES256.request,
      headers: ES256.request.headers.map(
        ([name, value]) => [name, name === 'Signature' ? `ocm=:${'A'.repeat(86)}==:` : value] as const,
      ),
    };
    expect(await verify(forged, { seen })).toMatchObject({ reason: 'signature-wrong' });
    expect(seen.untils).toEqual([]);
    expect(await verify(ES256.request, { seen })).toMatchObject({ kind: 'valid' });
  });

  it('counts as the same with another signature over the same text', async () => {
    const seen = seenInMemory();
    const twin = {
      ...ES256.request,
      headers: ES256.request.headers.map(
        ([name, value]) => [name, name === 'Signature' ? negated(value) : value] as const,
      ),
    };
    expect(await verify(twin)).toMatchObject({ kind: 'valid' });
    await verify(ES256.request, { seen });
    expect(await verify(twin, { seen })).toMatchObject({ reason: 'replayed' });
  });

  it('counts as another one a second later, and with another body', async () => {
    const seen = seenInMemory();
    for (const vector of VECTORS) {
      const requests = [await signed(vector, OURS), await signed(vector, OURS, { body: '{}' })];
      for (const request of [...requests, await signed(vector, OURS, { at: SIGNED_AT + 1000 })])
        expect(await verify(request, { seen })).toMatchObject({ kind: 'valid' });
    }
  });

  it('counts as another one from another partner, even with the same text', async () => {
    const seen = seenInMemory();
    const keyId = 'https://c.example.org/ocm#signature';
    const keys = knownKeys([RSA.publicKey, { ...RSA.publicKey, keyId }]);
    expect(await verify(await signed(RSA, OURS, { keyId }), { keys, seen })).toMatchObject({ kind: 'valid' });
    expect(await verify(await signed(RSA, OURS), { keys, seen })).toMatchObject({
      kind: 'valid',
      host: 'a.example.org',
    });
  });

  it.each(VECTORS.map((vector) => [vector.algorithm, vector] as const))(
    'is valid only for the server to which it was sent: %s',
    async (_, vector) => {
      const captured = await signed(vector, 'https://c.example.org/ocm/notifications');
      expect(await verify(captured)).toMatchObject({ kind: 'valid' });
      const readdressed = { ...captured, url: OURS };
      const reason = vector === RSA ? 'wrong-host' : 'signature-wrong';
      expect(await verify(readdressed)).toMatchObject({ kind: 'invalid', reason });
      const hosts = readdressed.headers.map(
        ([name, value]) => [name, name === 'host' ? 'b.example.org' : value] as const,
      );
      expect(await verify({ ...readdressed, headers: hosts })).toMatchObject({ reason: 'signature-wrong' });
    },
  );

  it('may name our usual port, and our host in capitals', async () => {
    for (const vector of VECTORS)
      expect(
        await verify({ ...(await signed(vector, OURS)), url: 'https://B.example.org:443/ocm/notifications' }),
      ).toMatchObject({ kind: 'valid' });
  });

  it('without a body needs no digest', async () => {
    for (const vector of VECTORS) {
      const request = await signed(vector, `${OURS}?x=1`, { body: '', method: 'GET' });
      expect(await verify(request)).toMatchObject({ kind: 'valid' });
      expect(
        await verify({
          ...request,
          headers: request.headers.filter(([name]) => name !== 'content-length'),
          body: 'x',
        }),
      ).toMatchObject({ reason: 'not-covered' });
    }
  });

  it('belongs to the owner of the key, even if its id names another host', async () => {
    for (const keyId of ['key-1', 'https://elsewhere.example/key']) {
      const key = partnerKeyOf(keyId, 'p256', ES256.privateKey);
      const found = () =>
        Promise.resolve({ kind: 'found', key, host: hostOfAddress('c.example.org') } as const);
      const keys = { find: found, findAnew: found };
      const request = await signed(ES256, OURS, { keyId });
      expect(await verify(request, { keys })).toMatchObject({ kind: 'valid', host: 'c.example.org' });
    }
  });

  it('belongs to the host in its key id, even if that host shows another key', async () => {
    const keyId = 'https://evil.example/ocm#stolen';
    const stolen = knownKeys([partnerKeyOf(keyId, 'p256', ES256.privateKey)]);
    const request = await signed(ES256, OURS, { keyId });
    expect(await verify(request, { keys: stolen })).toMatchObject({ kind: 'valid', host: 'evil.example' });
  });
});

describe('a signature of another length', () => {
  it.each([1, 2, 63, 64, 65, 70, 72, 255, 256, 257, 1024])('is wrong, with %d bytes', async (bytes) => {
    const signature = Buffer.alloc(bytes, 1).toString('base64');
    for (const { request } of VECTORS) {
      const headers = request.headers.map(([name, value]) => {
        if (name !== 'Signature') return [name, value] as const;
        const wrong = value.replace(/signature="[^"]*"|:[^:]*:/, (part) =>
          part.startsWith(':') ? `:${signature}:` : `signature="${signature}"`,
        );
        return [name, wrong] as const;
      });
      expect(await verify({ ...request, headers })).toMatchObject({ reason: 'signature-wrong' });
    }
  });
});

describe('a request without a signature', () => {
  it('is unsigned', async () => {
    const headers = [
      ['authorization', 'Signature keyId="x"'],
      ['digest', 'SHA-256=x'],
    ] as const;
    expect(await verify({ ...RSA.request, headers })).toEqual({ kind: 'unsigned' });
  });
});

describe('the keys of a partner', () => {
  const unavailable = { find: () => Promise.resolve({ kind: 'unavailable' } as const) };

  it('are read by id and host of the signer', async () => {
    const asked: unknown[] = [];
    const keys: PartnerKeys = { ...KEYS, find: (signer) => (asked.push(signer), KEYS.find(signer)) };
    await verify(ED25519.request, { keys });
    expect(asked).toEqual([{ keyId: 'a.example.org#key1', host: 'a.example.org' }]);
  });

  it.each([
    ['is not there', []],
    ['is another one', [partnerKeyOf(ES256.keyId, 'p256', newP256())]],
    ['is of another kind', [{ ...RSA.publicKey, keyId: ES256.keyId }]],
  ])('are asked for again where the kept one %s', async (_, kept) => {
    const keys = knownKeys(kept, [ES256.publicKey]);
    expect(await verify(ES256.request, { keys })).toMatchObject({ kind: 'valid' });
    expect(await verify(ES256.request, { keys: knownKeys(kept, kept) })).toMatchObject({ kind: 'invalid' });
  });

  it('are not read if the message is refused anyway', async () => {
    const never = () => Promise.reject(new Error('was asked'));
    const keys = { find: never, findAnew: never };
    expect(
      await verify({ ...RSA.request, body: VECTOR_BODY.replace('4711', '4712') }, { keys }),
    ).toMatchObject({ reason: 'digest-wrong' });
    expect(await verify(RSA.request, { keys, now: SIGNED_AT + 3_600_000 })).toMatchObject({
      reason: 'out-of-date',
    });
  });

  it('may be unreachable, which differs from a wrong signature', async () => {
    expect(await verify(RSA.request, { keys: { ...KEYS, ...unavailable } })).toMatchObject({
      reason: 'key-unavailable',
    });
    const keys = { ...knownKeys([]), findAnew: unavailable.find };
    expect(await verify(RSA.request, { keys })).toMatchObject({ reason: 'key-unavailable' });
  });
});

describe('a failure of our own', () => {
  it('such as a lost database is thrown, and does not count as a wrong signature', async () => {
    const seen = { remember: () => Promise.reject(new Error('database is away')) };
    await expect(verify(RSA.request, { seen })).rejects.toThrow('database is away');
  });

  it('never shows the request', () => {
    expect(new SignatureRefused('malformed', 'signature').message).toBe('malformed: signature');
  });
});

function newP256(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** The other signature that ECDSA has for the same message: r and n - s. */
function negated(header: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const bytes = Buffer.from(/:(.+):/.exec(header)![1]!, 'base64');
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  return `ocm=:${other.toString('base64')}:`;
}
