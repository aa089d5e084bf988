import type { SigningAlgorithm } from '#federation/protocol';
import type { SealedSigningKey } from '#persistence';
import type { SecretBox } from '#platform';
import { createSigningKey } from '../signing-key';

/**
 * A new key in its stored form.
 * @param notBefore start of its use for signing
 */
export async function sealedKey(
  algorithm: SigningAlgorithm,
  notBefore: Date,
  secrets: SecretBox,
): Promise<SealedSigningKey> {
  const { id, publicJwk, privateKey } = await createSigningKey(algorithm);
  const sealedPrivateKey = secrets.seal(privateKey.reveal());
  return { id, algorithm, publicJwk, sealedPrivateKey, notBefore };
}
