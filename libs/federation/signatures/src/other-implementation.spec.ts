import { createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { cavage, createSigner, createVerifier, httpbis, type Request } from 'http-message-signatures';
import type { SigningAlgorithm } from '#federation/protocol';
import {
  knownKeys,
  partnerKeyOf,
  received,
  seenInMemory,
} from '../../../testing/src/partners/signed-requests';
import { digestOf } from './body-digests';
import type { PartnerKey } from './partner-keys';
import { signRequest } from './sign-request';
import type { SigningKey } from './signing-key';
import { verifyRequest, type Verification } from './verify-request';

// The other implementation always uses the real clock.
const NOW = Date.now();
const URL = 'https://b.example.org:8443/ocm/notifications?format=json&x=%20';
const BODY = Buffer.from('{"notificationType":"SHARE_ACCEPTED","providerId":"4711","message":"ärger"}');
const KEY_ID = 'https://a.example.org/ocm#key';

const PRIVATE: Readonly<Record<SigningAlgorithm, KeyObject>> = {
  'rsa-sha512': generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  'ecdsa-p256-sha256': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  ed25519: generateKeyPairSync('ed25519').privateKey,
};
const KINDS = { 'rsa-sha512': 'rsa', 'ecdsa-p256-sha256': 'p256', ed25519: 'ed25519' } as const;
const NEWER = ['ecdsa-p256-sha256', 'ed25519'] as const;

const ourKey = (algorithm: SigningAlgorithm): SigningKey => ({
  keyId: KEY_ID,
  algorithm,
  key: PRIVATE[algorithm],
});
const theirKey = (algorithm: SigningAlgorithm): PartnerKey =>
  partnerKeyOf(KEY_ID, KINDS[algorithm], PRIVATE[algorithm]);

/** A request that we signed, in the form that the other implementation reads. */
async function signedByUs(algorithm: SigningAlgorithm, body: Buffer): Promise<Request> {
  const added = await signRequest({ method: 'POST', url: URL, body }, ourKey(algorithm), NOW);
  return {
    method: 'POST',
    url: URL,
    headers: { host: 'b.example.org:8443', 'content-length': String(body.length), ...added },
  };
}

/** Our result for a request that the other implementation signed. */
function judge(
  { method, headers }: Request,
  algorithm: SigningAlgorithm,
  body = BODY,
): Promise<Verification> {
  const lines = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return verifyRequest(
    { ...received({ method, url: URL, headers: lines, body: '' }), rawBody: body },
    { keys: knownKeys([theirKey(algorithm)]), seen: seenInMemory(), now: NOW },
  );
}

const unsigned = (): Request => ({
  method: 'POST',
  url: URL,
  headers: {
    Host: 'b.example.org:8443',
    Date: new Date(NOW).toUTCString(),
    'Content-Length': String(BODY.length),
    'Content-Type': 'application/json',
    'Content-Digest': `sha-512=:${digestOf(BODY, 'sha-512')}:, sha-256=:${digestOf(BODY, 'sha-256')}:`,
    Digest: `SHA-256=${digestOf(BODY, 'sha-256')}`,
  },
});

/** Uses another label. */
const TAGGED = {
  name: 'sig1',
  params: ['created', 'keyid', 'alg', 'tag'],
  paramValues: { created: new Date(NOW), tag: 'ocm' },
};

const FIELDS = ['@method', '@target-uri', 'content-digest', 'content-length', 'date'];

function signedByThem(
  algorithm: (typeof NEWER)[number],
  fields: readonly string[] = FIELDS,
  paramValues: object = {},
  params = ['created', 'keyid', 'alg', 'tag'],
): Promise<Request> {
  const key = createSigner(PRIVATE[algorithm], algorithm, KEY_ID);
  return httpbis.signMessage(
    {
      key,
      name: 'sig1',
      fields: [...fields],
      params,
      paramValues: { ...TAGGED.paramValues, ...paramValues },
    },
    unsigned(),
  );
}

describe('http-message-signatures', () => {
  it.each(NEWER)('accepts our RFC 9421 signature: %s', async (algorithm) => {
    const verifier = createVerifier(createPublicKey(PRIVATE[algorithm]), algorithm);
    const config = {
      keyLookup: () => Promise.resolve({ verify: verifier, algs: [algorithm] }),
      requiredFields: FIELDS,
      all: true,
    };
    for (const body of [BODY, Buffer.alloc(0)]) {
      const message = await signedByUs(algorithm, body);
      const fields = body.length > 0 ? FIELDS : ['@method', '@target-uri', 'date'];
      expect(await httpbis.verifyMessage({ ...config, requiredFields: fields }, message)).toBe(true);
      expect(
        await httpbis.verifyMessage({ ...config, requiredFields: fields }, { ...message, url: `${URL}1` }),
      ).toBe(false);
    }
  });

  it('accepts our cavage signature', async () => {
    const publicKey = createPublicKey(PRIVATE['rsa-sha512']);
    const keyLookup = () =>
      Promise.resolve({
        verify: (text: Buffer, signature: Buffer) =>
          Promise.resolve(verify('sha512', text, publicKey, signature)),
      });
    const message = await signedByUs('rsa-sha512', BODY);
    expect(await cavage.verifyMessage({ keyLookup }, message)).toBe(true);
    expect(await cavage.verifyMessage({ keyLookup }, { ...message, method: 'PUT' })).toBe(false);
  });
});

describe('signatures of http-message-signatures', () => {
  it.each(NEWER)('are valid here: %s', async (algorithm) => {
    const valid = { kind: 'valid', keyId: KEY_ID, algorithm, host: 'a.example.org' };
    expect(await judge(await signedByThem(algorithm), algorithm)).toEqual(valid);
  });

  it.each([
    ['with the parts of the address', [...FIELDS, '@authority', '@path', '@query']],
    ['with the type of the content and the host', [...FIELDS, 'content-type', 'host']],
    ['in another order', [...FIELDS].reverse()],
  ])('are valid %s', async (_, fields) => {
    const message = await signedByThem('ecdsa-p256-sha256', fields);
    expect(await judge(message, 'ecdsa-p256-sha256')).toMatchObject({ kind: 'valid' });
  });

  it('are valid with every parameter, and without an algorithm', async () => {
    const expires = new Date(NOW + 60_000);
    const values = { expires, nonce: 'a "quoted\\ one"', tag: 'ocm' };
    const message = await signedByThem('ed25519', FIELDS, values, [
      'tag',
      'nonce',
      'expires',
      'created',
      'keyid',
    ]);
    expect(await judge(message, 'ed25519')).toMatchObject({ kind: 'valid', algorithm: 'ed25519' });
  });

  it('are valid next to a proxy’s signature, which is ignored', async () => {
    const message = await signedByThem('ed25519');
    const both = await httpbis.signMessage(
      { key: createSigner(PRIVATE.ed25519, 'ed25519', 'proxy'), name: 'proxy', fields: ['@method'] },
      message,
    );
    expect(both.headers['Signature-Input']).toContain('proxy=');
    expect(await judge(both, 'ed25519')).toMatchObject({ kind: 'valid', keyId: KEY_ID });
  });

  it('are refused if only a proxy signed', async () => {
    const key = createSigner(PRIVATE.ed25519, 'ed25519', KEY_ID);
    const message = await httpbis.signMessage({ key, name: 'ocm', fields: FIELDS }, unsigned());
    expect(await judge(message, 'ed25519')).toMatchObject({ kind: 'invalid', reason: 'untagged' });
  });

  it.each([
    ['method', FIELDS.slice(1), '@method'],
    ['address', FIELDS.filter((name) => name !== '@target-uri'), '@target-uri'],
    ['body', FIELDS.filter((name) => name !== 'content-digest'), 'content-digest'],
    ['length', FIELDS.filter((name) => name !== 'content-length'), 'content-length'],
  ])('are refused without the %s', async (_, fields, detail) => {
    const message = await signedByThem('ed25519', fields);
    expect(await judge(message, 'ed25519')).toEqual({ kind: 'invalid', reason: 'not-covered', detail });
  });

  it('are refused without the time of their creation', async () => {
    const message = await signedByThem('ed25519', FIELDS, {}, ['keyid', 'alg', 'tag']);
    expect(await judge(message, 'ed25519')).toMatchObject({ reason: 'not-covered', detail: 'created' });
  });

  it.each([
    ['made too long ago', { created: new Date(NOW - 301_000) }, 'created'],
    ['made in the future', { created: new Date(NOW + 301_000) }, 'created'],
    ['over', { expires: new Date(NOW - 2_000) }, 'expires'],
  ])('are refused when %s', async (_, values, detail) => {
    const message = await signedByThem('ed25519', FIELDS, values, ['created', 'expires', 'keyid', 'tag']);
    expect(await judge(message, 'ed25519')).toMatchObject({ reason: 'out-of-date', detail });
  });

  it('are refused with another date, if they cover it', async () => {
    const message = unsigned();
    message.headers['Date'] = new Date(NOW - 301_000).toUTCString();
    const key = createSigner(PRIVATE.ed25519, 'ed25519', KEY_ID);
    const signed = await httpbis.signMessage({ ...TAGGED, key, fields: FIELDS }, message);
    expect(await judge(signed, 'ed25519')).toMatchObject({ reason: 'out-of-date', detail: 'date' });
  });

  it.each(['@scheme', '@request-target', '@query-param;name="x"', 'content-digest;sf'])(
    'are refused over the component %s, which is not supported here',
    async (field) => {
      const key = createSigner(PRIVATE.ed25519, 'ed25519', KEY_ID);
      const fields = [...FIELDS.filter((name) => name !== 'content-digest'), field, 'content-digest'];
      const config = {
        ...TAGGED,
        key,
        fields,
        componentParser: (name: string) => (name.startsWith('@s') || name.startsWith('@r') ? ['x'] : null),
      };
      const message = await httpbis.signMessage(config, unsigned());
      expect(await judge(message, 'ed25519')).toMatchObject({ reason: 'unsupported', detail: 'component' });
    },
  );

  it('are refused with an algorithm that is not the key’s', async () => {
    const message = await signedByThem('ed25519', FIELDS, { alg: 'ecdsa-p256-sha256' });
    expect(await judge(message, 'ed25519')).toMatchObject({ reason: 'key-unsuitable' });
  });

  it('are refused by RSA if they do not name the algorithm', async () => {
    const key = createSigner(PRIVATE['rsa-sha512'], 'rsa-v1_5-sha256', KEY_ID);
    const config = { ...TAGGED, key, fields: FIELDS, params: ['created', 'keyid', 'tag'] };
    const message = await httpbis.signMessage(config, unsigned());
    expect(await judge(message, 'rsa-sha512')).toMatchObject({ reason: 'key-unsuitable' });
  });

  it('are valid by RSA', async () => {
    const algorithm = 'rsa-v1_5-sha256';
    const key = createSigner(PRIVATE['rsa-sha512'], algorithm, KEY_ID);
    const message = await httpbis.signMessage({ ...TAGGED, key, fields: FIELDS }, unsigned());
    expect(await judge(message, 'rsa-sha512')).toMatchObject({ kind: 'valid', algorithm });
  });

  it('are valid by the larger curve', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const key = createSigner(privateKey, 'ecdsa-p384-sha384', KEY_ID);
    const { headers } = await httpbis.signMessage({ ...TAGGED, key, fields: FIELDS }, unsigned());
    const lines = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    const request = { ...received({ method: 'POST', url: URL, headers: lines, body: '' }), rawBody: BODY };
    const keys = knownKeys([partnerKeyOf(KEY_ID, 'p384', privateKey)]);
    expect(await verifyRequest(request, { keys, seen: seenInMemory(), now: NOW })).toMatchObject({
      kind: 'valid',
      algorithm: 'ecdsa-p384-sha384',
    });
  });
});

describe('cavage signatures of http-message-signatures', () => {
  const ALL = ['@request-target', 'content-length', 'date', 'digest', 'host'];

  function signedByCavage(
    fields: readonly string[],
    hash = 'sha512',
    params = ['keyid', 'alg'],
  ): Promise<Request> {
    const signer = (text: Buffer) => Promise.resolve(sign(hash, text, PRIVATE['rsa-sha512']));
    const key = { id: KEY_ID, alg: `rsa-${hash}`, sign: signer };
    return cavage.signMessage({ key, fields: [...fields], params }, unsigned());
  }

  it.each([
    ['SHA-512', 'sha512', ['keyid', 'alg'], 'rsa-sha512'],
    ['SHA-256', 'sha256', ['keyid', 'alg'], 'rsa-sha256'],
    ['SHA-256 that is not named', 'sha256', ['keyid'], 'rsa-sha256'],
  ])('are valid with %s', async (_, hash, params, algorithm) => {
    const message = await signedByCavage(ALL, hash, params);
    expect(await judge(message, 'rsa-sha512')).toMatchObject({ kind: 'valid', algorithm });
  });

  it.each(['@request-target', 'date', 'digest', 'host'])('are refused without %s', async (name) => {
    const message = await signedByCavage(ALL.filter((one) => one !== name));
    expect(await judge(message, 'rsa-sha512')).toMatchObject({ kind: 'invalid', reason: 'not-covered' });
  });

  it('are refused with a creation time, which the draft forbids for RSA', async () => {
    const message = await signedByCavage(ALL, 'sha512', ['keyid', 'alg', 'expires']);
    expect(await judge(message, 'rsa-sha512')).toMatchObject({ reason: 'unsupported', detail: 'expires' });
  });

  it('are refused by a key that is no RSA key', async () => {
    const message = await signedByCavage(ALL);
    expect(await judge(message, 'ed25519')).toMatchObject({ reason: 'key-unsuitable' });
  });
});
