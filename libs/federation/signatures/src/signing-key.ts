import { createHash, createPrivateKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { SecretText, type SigningAlgorithm } from '#federation/protocol';

/** A new key of ours. Its private half has to be sealed before it is stored. */
export interface NewSigningKey {
  /** Derived from the public key (RFC 7638): Nextcloud refuses a known id with another key. */
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: JsonWebKey;
  /** PKCS 8, PEM. */
  readonly privateKey: SecretText;
}

/** A key of ours that is ready for signing. */
export interface SigningKey {
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

const RSA_BITS = 2048;
const generate = promisify(generateKeyPair);

/** Makes a new key of ours. */
export async function createSigningKey(algorithm: SigningAlgorithm): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await pairFor(algorithm);
  const publicJwk = publicKey.export({ format: 'jwk' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { id: thumbprintOf(publicJwk), algorithm, publicJwk, privateKey: new SecretText(pem) };
}

/**
 * Opens a stored key for signing.
 * @param publicUrl our address, without a trailing slash
 */
export function openSigningKey(stored: Omit<NewSigningKey, 'publicJwk'>, publicUrl: string): SigningKey {
  const key = createPrivateKey(stored.privateKey.reveal());
  return { keyId: keyIdOf(stored.id, publicUrl), algorithm: stored.algorithm, key };
}

/** The id of a key for partners. Nextcloud asks its host for the key, and requires a scheme at its beginning. */
export function keyIdOf(id: string, publicUrl: string): string {
  return `${publicUrl}/ocm#${id}`;
}

function pairFor(algorithm: SigningAlgorithm): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  switch (algorithm) {
    case 'rsa-sha512':
      return generate('rsa', { modulusLength: RSA_BITS });
    case 'ecdsa-p256-sha256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'ed25519':
      return generate('ed25519');
  }
}

/** RFC 7638: the required members in the order of their names. */
export function thumbprintOf({ crv, e, kty, n, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url');
}
