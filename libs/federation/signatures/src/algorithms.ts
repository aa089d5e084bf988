import { type AsymmetricKeyDetails, constants, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { SignatureAlgorithm } from '#federation/protocol';

/** The kinds of keys that are accepted from partners. */
export type KeyKind = 'rsa' | 'p256' | 'p384' | 'ed25519';

interface Traits {
  readonly kind: KeyKind;
  /** null if the algorithm includes its own hash. */
  readonly hash: string | null;
  /** For RSA only. */
  readonly padding?: number;
}

const TRAITS: Readonly<Record<SignatureAlgorithm, Traits>> = {
  'rsa-sha512': { kind: 'rsa', hash: 'sha512', padding: constants.RSA_PKCS1_PADDING },
  'rsa-sha256': { kind: 'rsa', hash: 'sha256', padding: constants.RSA_PKCS1_PADDING },
  'rsa-v1_5-sha256': { kind: 'rsa', hash: 'sha256', padding: constants.RSA_PKCS1_PADDING },
  'rsa-pss-sha512': { kind: 'rsa', hash: 'sha512', padding: constants.RSA_PKCS1_PSS_PADDING },
  ed25519: { kind: 'ed25519', hash: null },
  'ecdsa-p256-sha256': { kind: 'p256', hash: 'sha256' },
  'ecdsa-p384-sha384': { kind: 'p384', hash: 'sha384' },
};

const CURVES: ReadonlyMap<string, KeyKind> = new Map([
  ['prime256v1', 'p256'],
  ['secp384r1', 'p384'],
]);
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
const MAX_RSA_EXPONENT = 2n ** 32n;

/**
 * Kind of this key.
 * @returns undefined for a kind, curve or size that is not accepted: RSA has 2048 to 8192 bits, since larger keys only cost time
 */
export function keyKindOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails = {},
}: KeyObject): KeyKind | undefined {
  if (type === 'ed25519') return 'ed25519';
  if (type === 'ec') return CURVES.get(asymmetricKeyDetails.namedCurve ?? '');
  return type === 'rsa' && isGoodRsa(asymmetricKeyDetails) ? 'rsa' : undefined;
}

function isGoodRsa({ modulusLength = 0, publicExponent = 0n }: AsymmetricKeyDetails): boolean {
  const isGoodExponent = publicExponent >= 3n && publicExponent < MAX_RSA_EXPONENT;
  return isGoodExponent && modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS;
}

/** The kind of key that an algorithm needs. */
export function kindFor(algorithm: SignatureAlgorithm): KeyKind {
  return TRAITS[algorithm].kind;
}

/**
 * Algorithm of a key if the message does not name one. RSA has several and no default; draft-cavage sets its
 * own.
 */
export const DEFAULT_ALGORITHMS = {
  ed25519: 'ed25519',
  p256: 'ecdsa-p256-sha256',
  p384: 'ecdsa-p384-sha384',
} as const satisfies Partial<Record<KeyKind, SignatureAlgorithm>>;

const signApart = promisify(sign);

/**
 * Signs on a separate thread: RSA takes a third of a millisecond, in which a worker can send other messages.
 * @returns Base64
 */
export async function signText(text: string, key: KeyObject, algorithm: SignatureAlgorithm): Promise<string> {
  const traits = TRAITS[algorithm];
  return (await signApart(traits.hash, Buffer.from(text), asUsed(key, traits))).toString('base64');
}

/** @param signature Base64 */
export function isSignatureOf(
  signature: string,
  text: string,
  key: KeyObject,
  algorithm: SignatureAlgorithm,
): boolean {
  const traits = TRAITS[algorithm];
  return verify(traits.hash, Buffer.from(text), asUsed(key, traits), Buffer.from(signature, 'base64'));
}

/** ECDSA signatures are two numbers side by side; PSS has a salt as long as its hash (RFC 9421, 3.3). */
function asUsed(key: KeyObject, { padding }: Traits) {
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return { key, padding, saltLength, dsaEncoding: 'ieee-p1363' as const };
}
