import type { BodyDigest } from './digest-fields';
import type { Signer } from './key-identity';

/** The asymmetric algorithms of the registry of RFC 9421. OCM forbids the symmetric one. */
const RFC9421_ALGORITHMS = [
  'ed25519',
  'ecdsa-p256-sha256',
  'ecdsa-p384-sha384',
  'rsa-pss-sha512',
  'rsa-v1_5-sha256',
] as const;

export type Rfc9421Algorithm = (typeof RFC9421_ALGORITHMS)[number];

/** How a signature was made; `rsa-sha512` and `rsa-sha256` are names of draft-cavage. */
export type SignatureAlgorithm = 'rsa-sha512' | 'rsa-sha256' | Rfc9421Algorithm;

/** Algorithms of our own keys: RSA signs for Nextcloud 31 and 32 (draft-cavage), the others by RFC 9421. */
export type SigningAlgorithm = Extract<SignatureAlgorithm, 'rsa-sha512' | 'ecdsa-p256-sha256' | 'ed25519'>;

export const isRfc9421Algorithm = (name: string): name is Rfc9421Algorithm =>
  (RFC9421_ALGORITHMS as readonly string[]).includes(name);

export type SignatureScheme = 'cavage' | 'rfc9421';

/** Choices of an operator for messages to one partner. */
export const SIGNATURE_CHOICES = ['cavage', 'rfc9421', 'none'] as const satisfies readonly (
  | SignatureScheme
  | 'none'
)[];
export type SignatureChoice = (typeof SIGNATURE_CHOICES)[number];

/** A signature with a valid header. The rest of the check needs the body and the key. */
export interface SignatureToCheck {
  readonly scheme: SignatureScheme;
  readonly signer: Signer;
  /** null if the key decides. */
  readonly algorithm: SignatureAlgorithm | null;
  /** Base64. */
  readonly signature: string;
  /** The signed text. */
  readonly signedText: string;
  /** All of them must match the body; empty only for a message without a body. */
  readonly digests: readonly BodyDigest[];
  /** Time after which it is refused as too old, in UNIX milliseconds: until then it must be remembered. */
  readonly acceptableUntil: number;
}
