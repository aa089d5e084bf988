import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { hostNamedBy, isKeyId, parseBoundedJson, type HostIdentity } from '#federation/protocol';
import { keyKindOf, type KeyKind } from './algorithms';

/** A public key of a partner that passed our checks. */
export interface PartnerKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly key: KeyObject;
}

const MAX_KEYS = 32;
/** RSA of 8192 bits has 1,470 characters. */
const MAX_PEM_LENGTH = 2_400;
const PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/;

/** Algorithms that a JWK may name for itself; it need not name any. */
const JWK_ALGORITHMS: Readonly<Record<KeyKind, readonly string[]>> = {
  rsa: ['RS256', 'RS512', 'PS512'],
  p256: ['ES256'],
  p384: ['ES384'],
  ed25519: ['EdDSA', 'Ed25519'],
};

/** The members of a public JWK (RFC 7517, 7518, 8037). Other members are dropped. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/**
 * Reads a JWKS document. Keys that cannot be used are left out, and the others are kept. An id may be any text: the owner of a key
 * follows from the address of the document.
 * @returns an empty list for an invalid document
 */
export function readJwks(text: string): PartnerKey[] {
  const document = parseBoundedJson(text);
  const entries =
    isObject(document) && Array.isArray(document['keys']) ? (document['keys'] as unknown[]) : [];
  if (entries.length > MAX_KEYS) return [];
  const keys = new Map<string, PartnerKey>();
  for (const entry of entries) {
    const key = isObject(entry) ? readJwk(entry) : undefined;
    if (key && !keys.has(key.keyId)) keys.set(key.keyId, key);
  }
  return [...keys.values()];
}

/**
 * Reads the member `publicKey` of a discovery document: `{"keyId": ..., "publicKeyPem": ...}`.
 * @param host the server that published the document
 * @returns undefined if it is missing, cannot be used, or belongs to another host
 */
export function readPublicKeyMember(value: unknown, host: HostIdentity): PartnerKey | undefined {
  if (!isObject(value)) return undefined;
  const { keyId, publicKeyPem: pem } = value;
  if (typeof pem !== 'string' || pem.length > MAX_PEM_LENGTH || !PEM.test(pem)) return undefined;
  // The older scheme looks for a key at the host that its id names.
  if (typeof keyId !== 'string' || hostNamedBy(keyId) !== host) return undefined;
  return usable(keyId, () => createPublicKey(pem));
}

/** The keys as a JWKS document, the form in which they are stored. `readJwks` reads it again. */
export function writeJwks(keys: readonly PartnerKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ keyId, key }) => ({ ...key.export({ format: 'jwk' }), kid: keyId })),
  });
}

function readJwk(entry: Readonly<Record<string, unknown>>): PartnerKey | undefined {
  const { kid, use, alg } = entry;
  // A private key that is published must not be used any more.
  if ('d' in entry || (use !== undefined && use !== 'sig')) return undefined;
  const members = PUBLIC_MEMBERS.filter((name) => name in entry).map((name) => [name, entry[name]] as const);
  if (!members.every(([, value]) => typeof value === 'string')) return undefined;
  const jwk = Object.fromEntries(members) as JsonWebKey;
  const key = usable(kid, () => createPublicKey({ key: jwk, format: 'jwk' }));
  const fits = key && (alg === undefined || JWK_ALGORITHMS[key.kind].some((name) => name === alg));
  return fits ? key : undefined;
}

function usable(keyId: unknown, read: () => KeyObject): PartnerKey | undefined {
  if (typeof keyId !== 'string' || !isKeyId(keyId)) return undefined;
  try {
    const key = read();
    const kind = keyKindOf(key);
    return kind && { keyId, kind, key };
  } catch {
    // A key that the library cannot read is left out.
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
