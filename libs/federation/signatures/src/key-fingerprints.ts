import { readJwks } from './partner-keys';
import { thumbprintOf } from './signing-key';

/** A public key of a partner, in a form that two people can compare. */
export interface KeyFingerprint {
  readonly keyId: string;
  readonly kind: string;
  /** Thumbprint of RFC 7638, in base64url. */
  readonly fingerprint: string;
}

/** Fingerprints of the keys in JWKS documents, without duplicates. */
export function keyFingerprints(...documents: readonly string[]): KeyFingerprint[] {
  const keys = documents.flatMap(readJwks).map(({ keyId, kind, key }) => ({
    keyId,
    kind,
    fingerprint: thumbprintOf(key.export({ format: 'jwk' })),
  }));
  return keys.filter((key, at) => keys.findIndex((other) => isSame(other, key)) === at);
}

const isSame = (one: KeyFingerprint, other: KeyFingerprint): boolean =>
  one.keyId === other.keyId && one.fingerprint === other.fingerprint;
