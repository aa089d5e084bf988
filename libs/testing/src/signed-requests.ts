import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  readJwks,
  readPublicKeyMember,
  type PartnerKey,
  type PartnerKeys,
  type SeenSignatures,
  type SigningAlgorithm,
} from '#federation/signatures';

/** A request as a test writes it down: one line for each header, in their order. */
export interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** One of the vectors of reference/federation: signed messages with the keys they were made by. */
export interface SignatureVector {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
  readonly request: WrittenRequest;
  readonly publicKey: PartnerKey;
  readonly privateKey: KeyObject;
  /** What was signed. */
  readonly signedText: string;
}

interface StoredVector {
  readonly headers: Readonly<Record<string, string>>;
  readonly privateKeyPem: string;
}

interface StoredVectors {
  readonly body: string;
  readonly created: number;
  readonly cavage: StoredVector & { readonly publicKeyPem: string; readonly signingString: string };
  readonly rfc9421_ed25519: StoredVector & {
    readonly jwk: { readonly kid: string };
    readonly signatureBase: string;
  };
  readonly rfc9421_es256: StoredVector & {
    readonly jwk: { readonly kid: string };
    readonly signatureBase: string;
  };
}

const FIXTURE = join(__dirname, '../../../test/fixtures/signature-vectors.json');
const STORED = JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredVectors;
const SENDER = 'a.example.org';

/** When the vectors were signed, in UNIX milliseconds. */
export const SIGNED_AT = STORED.created * 1000;

export const VECTOR_BODY = STORED.body;

/** All vectors. They were sent with their length, which the stored headers of two leave to whoever sends them. */
export function signatureVectors(): SignatureVector[] {
  const { cavage, rfc9421_ed25519: ed25519, rfc9421_es256: es256 } = STORED;
  const cavageKeyId = 'https://a.example.org/ocm#signature';
  const member = { keyId: cavageKeyId, publicKeyPem: cavage.publicKeyPem };
  return [
    {
      ...vectorOf('rsa-sha512', cavageKeyId, cavage),
      publicKey: readPublicKeyMember(member, SENDER)!,
      signedText: cavage.signingString,
    },
    { ...vectorOf('ed25519', ed25519.jwk.kid, ed25519), ...jwkOf(ed25519) },
    { ...vectorOf('ecdsa-p256-sha256', es256.jwk.kid, es256), ...jwkOf(es256) },
  ];
}

function vectorOf(algorithm: SigningAlgorithm, keyId: string, { headers, privateKeyPem }: StoredVector) {
  const length = { 'Content-Length': String(Buffer.byteLength(STORED.body)) };
  return {
    algorithm,
    keyId,
    request: {
      method: 'POST',
      url: 'https://b.example.org/ocm/shares',
      headers: Object.entries({ ...length, ...headers }),
      body: STORED.body,
    },
    privateKey: createPrivateKey(privateKeyPem),
  };
}

function jwkOf({ jwk, signatureBase }: { readonly jwk: object; readonly signatureBase: string }) {
  return { publicKey: readJwks(JSON.stringify({ keys: [jwk] }), SENDER)[0]!, signedText: signatureBase };
}

/** The public half of a private key, as a partner's key. */
export function partnerKeyOf(keyId: string, kind: PartnerKey['kind'], privateKey: KeyObject): PartnerKey {
  return { keyId, kind, key: createPublicKey(privateKey) };
}

/** Partners' keys by their ids; what a partner says only when asked again is given apart. */
export function knownKeys(keys: readonly PartnerKey[], anew: readonly PartnerKey[] = keys): PartnerKeys {
  const answer = (from: readonly PartnerKey[], keyId: string) => {
    const key = from.find((one) => one.keyId === keyId);
    return Promise.resolve(key ? ({ kind: 'found', key } as const) : ({ kind: 'unknown' } as const));
  };
  return {
    find: ({ keyId }) => answer(keys, keyId),
    findAnew: ({ keyId }) => answer(anew, keyId),
  };
}

/** Remembers in memory; `untils` are the times until which it was told to. */
export function seenInMemory(): SeenSignatures & { readonly untils: readonly Date[] } {
  const [hashes, untils] = [new Set<string>(), [] as Date[]];
  return {
    untils,
    remember: (hash, until) => {
      const isNew = !hashes.has(hash.toString('hex'));
      hashes.add(hash.toString('hex'));
      untils.push(until);
      return Promise.resolve(isNew);
    },
  };
}

/** A written request as it is received. */
export function received({ method, url, headers, body }: WrittenRequest) {
  return { method, url, rawHeaders: headers.flat(), rawBody: Buffer.from(body) };
}
