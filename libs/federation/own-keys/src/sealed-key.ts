import { createSigningKey, type SigningAlgorithm } from '#federation/signatures';
import type { SealedSigningKey } from '#persistence';
import type { SecretBox } from '#platform';

/**
 * A new key as it is stored.
 * @param notBefore when it begins to sign
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
