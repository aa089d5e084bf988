import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostOfAddress, type Signer, type SigningAlgorithm } from '#federation/protocol';
import {
  readJwks,
  readPublicKeyMember,
  type KeyAnswer,
  type PartnerKey,
  type PartnerKeys,
  type SeenSignatures,
} from '#federation/signatures';

/** A request as a test writes it: one line per header, in order. */
export interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** One of the vectors of federation-facts 14: signed messages with their keys. */
export interface SignatureVector {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
  readonly request: WrittenRequest;
  readonly publicKey: PartnerKey;
  readonly privateKey: KeyObject;
  /** The signed text. */
  readonly signedText: string;
}

interface StoredVector {
  readonly headers: Readonly<Record<string, string>>;
  readonly privateKeyPem: string;
}

/** Without OCM's tag, as older instances of this product and some versions of Nextcloud sign. */
interface StoredRfc9421 extends StoredVector {
  readonly jwk: { readonly kid: string };
  readonly signatureBase: string;
}

interface StoredVectors {
  readonly body: string;
  readonly created: number;
  readonly cavage: StoredVector & { readonly publicKeyPem: string; readonly signingString: string };
  readonly rfc9421_ed25519: StoredRfc9421;
  readonly rfc9421_es256: StoredRfc9421;
}

const FIXTURE = join(__dirname, '../../../../test/fixtures/signature-vectors.json');
const STORED = JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredVectors;
const SENDER = hostOfAddress('a.example.org');

/** Time at which the vectors were signed, in UNIX milliseconds. */
export const SIGNED_AT = STORED.created * 1000;

export const VECTOR_BODY = STORED.body;

/**
 * All vectors; those of RFC 9421 with OCM's tag. They were sent with a content length, which two of the stored headers leave to
 * the sender.
 */
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
    rfc9421VectorOf('ed25519', tagged(ed25519, null)),
    rfc9421VectorOf('ecdsa-p256-sha256', tagged(es256, 'sha256')),
  ];
}

/** The stored vectors of RFC 9421, without the tag. */
export function untaggedVectors(): SignatureVector[] {
  return [
    rfc9421VectorOf('ed25519', STORED.rfc9421_ed25519),
    rfc9421VectorOf('ecdsa-p256-sha256', STORED.rfc9421_es256),
  ];
}

/** The same message with the tag, signed with the vector's key. @param hash null if the algorithm includes its own hash */
function tagged(vector: StoredRfc9421, hash: string | null): StoredRfc9421 {
  const key = { key: createPrivateKey(vector.privateKeyPem), dsaEncoding: 'ieee-p1363' as const };
  const signatureBase = `${vector.signatureBase};tag="ocm"`;
  const signature = sign(hash, Buffer.from(signatureBase), key).toString('base64');
  const input = `${vector.headers['Signature-Input']};tag="ocm"`;
  const headers = { ...vector.headers, 'Signature-Input': input, Signature: `ocm=:${signature}:` };
  return { ...vector, headers, signatureBase };
}

const rfc9421VectorOf = (algorithm: SigningAlgorithm, stored: StoredRfc9421): SignatureVector => ({
  ...vectorOf(algorithm, stored.jwk.kid, stored),
  ...jwkOf(stored),
});

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
  return { publicKey: readJwks(JSON.stringify({ keys: [jwk] }))[0]!, signedText: signatureBase };
}

/** The public half of a private key, as a partner's key. */
export function partnerKeyOf(keyId: string, kind: PartnerKey['kind'], privateKey: KeyObject): PartnerKey {
  return { keyId, kind, key: createPublicKey(privateKey) };
}

/** Partners' keys by id; keys that a partner publishes later are a separate list. */
export function knownKeys(keys: readonly PartnerKey[], anew: readonly PartnerKey[] = keys): PartnerKeys {
  const answer = (from: readonly PartnerKey[], { keyId, host }: Signer): Promise<KeyAnswer> => {
    const key = from.find((one) => one.keyId === keyId);
    return Promise.resolve(key ? { kind: 'found', key, host: host ?? SENDER } : { kind: 'unknown' });
  };
  return {
    find: (signer) => answer(keys, signer),
    findAnew: (signer) => answer(anew, signer),
  };
}

/** Remembers signatures in memory; `untils` are the requested times. */
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

/** A written request in its received form. */
export function received({ method, url, headers, body }: WrittenRequest) {
  return { method, url, rawHeaders: headers.flat(), rawBody: Buffer.from(body) };
}
