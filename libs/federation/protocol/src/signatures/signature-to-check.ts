import type { BodyDigest } from './digest-fields';
import type { Signer } from './key-identity';

/** How a signature was made; `rsa-*` are spoken by draft-cavage only. */
export type SignatureAlgorithm = 'rsa-sha512' | 'rsa-sha256' | 'ed25519' | 'ecdsa-p256-sha256';

export type SignatureScheme = 'cavage' | 'rfc9421';

/** A signature whose header was found in order: what is left needs the body and the key. */
export interface SignatureToCheck {
  readonly scheme: SignatureScheme;
  readonly signer: Signer;
  /** null where the key decides. */
  readonly algorithm: SignatureAlgorithm | null;
  /** Base64. */
  readonly signature: string;
  /** What was signed. */
  readonly signedText: string;
  /** All of them must be the body's; empty only for a message without a body. */
  readonly digests: readonly BodyDigest[];
  /** UNIX milliseconds from which it is refused as too old: until then it must be remembered. */
  readonly acceptableUntil: number;
}
