import { type AsymmetricKeyDetails, constants, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { SignatureAlgorithm } from '#federation/protocol';

/** The kinds of keys that are taken from partners. */
export type KeyKind = 'rsa' | 'p256' | 'ed25519';

interface Traits {
  readonly kind: KeyKind;
  /** null where the algorithm hashes by itself. */
  readonly hash: string | null;
}

const TRAITS: Readonly<Record<SignatureAlgorithm, Traits>> = {
  'rsa-sha512': { kind: 'rsa', hash: 'sha512' },
  'rsa-sha256': { kind: 'rsa', hash: 'sha256' },
  ed25519: { kind: 'ed25519', hash: null },
  'ecdsa-p256-sha256': { kind: 'p256', hash: 'sha256' },
};

const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
const MAX_RSA_EXPONENT = 2n ** 32n;

/**
 * What kind of key this is.
 * @returns undefined for a kind, curve or size that is not used here: RSA has 2048 to 8192 bits, since more only cost time
 */
export function kindOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails = {},
}: KeyObject): KeyKind | undefined {
  if (type === 'ed25519') return 'ed25519';
  if (type === 'ec') return asymmetricKeyDetails.namedCurve === 'prime256v1' ? 'p256' : undefined;
  return type === 'rsa' && isGoodRsa(asymmetricKeyDetails) ? 'rsa' : undefined;
}

function isGoodRsa({ modulusLength = 0, publicExponent = 0n }: AsymmetricKeyDetails): boolean {
  const isGoodExponent = publicExponent >= 3n && publicExponent < MAX_RSA_EXPONENT;
  return isGoodExponent && modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS;
}

/** Which kind of key an algorithm is for. */
export function kindFor(algorithm: SignatureAlgorithm): KeyKind {
  return TRAITS[algorithm].kind;
}

/** What a key does where the message does not say it. RSA never stays open: draft-cavage has a default. */
export const DEFAULT_ALGORITHMS = {
  ed25519: 'ed25519',
  p256: 'ecdsa-p256-sha256',
} as const satisfies Partial<Record<KeyKind, SignatureAlgorithm>>;

const signApart = promisify(sign);

/**
 * Signs on a thread of its own: with RSA it takes a third of a millisecond, in which a worker has other messages to send.
 * @returns Base64
 */
export async function signText(text: string, key: KeyObject, algorithm: SignatureAlgorithm): Promise<string> {
  const { hash } = TRAITS[algorithm];
  return (await signApart(hash, Buffer.from(text), asUsed(key))).toString('base64');
}

/** @param signature Base64 */
export function isSignatureOf(
  signature: string,
  text: string,
  key: KeyObject,
  algorithm: SignatureAlgorithm,
): boolean {
  const { hash } = TRAITS[algorithm];
  return verify(hash, Buffer.from(text), asUsed(key), Buffer.from(signature, 'base64'));
}

/** ECDSA as its two numbers side by side (RFC 9421, 3.3.4), RSA with the padding of PKCS 1 v1.5. */
function asUsed(key: KeyObject) {
  return { key, padding: padding(key), dsaEncoding: 'ieee-p1363' as const };
}

function padding(key: KeyObject): number | undefined {
  return key.asymmetricKeyType === 'rsa' ? constants.RSA_PKCS1_PADDING : undefined;
}
