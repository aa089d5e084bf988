import { createPublicKey, type KeyObject } from 'node:crypto';

/** The one signature algorithm of a key. An answer cannot choose another one. */
function algorithmOf(key: KeyObject): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519') return 'EdDSA';
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048) return 'RS256';
  return type === 'ec' && details?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
}

/** Reads the public key of a directory service in PEM: Ed25519, P-256 or RSA of at least 2048 bits; undefined for any other key. */
export function readDirectoryKey(pem: string): { key: KeyObject; algorithm: string } | undefined {
  try {
    const key = createPublicKey(pem);
    const algorithm = algorithmOf(key);
    return algorithm === undefined ? undefined : { key, algorithm };
  } catch {
    return undefined;
  }
}
