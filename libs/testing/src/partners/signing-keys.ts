import type { SignatureScheme } from '#federation/protocol';
import type { SigningAlgorithm } from '#federation/protocol';
import type { SigningKeys } from '#federation/signatures';
import { signatureVectors } from './signed-requests';

const ALGORITHMS: Readonly<Record<SignatureScheme, SigningAlgorithm>> = {
  cavage: 'rsa-sha512',
  rfc9421: 'ecdsa-p256-sha256',
};

/** The keys of the signature vectors for signing, for specs that do not look up published keys. */
export function keysOfVectors(): SigningKeys {
  const vectors = signatureVectors();
  return {
    signing: (scheme) => {
      const { keyId, algorithm, privateKey } = vectors.find((one) => one.algorithm === ALGORITHMS[scheme])!;
      return Promise.resolve({ keyId, algorithm, key: privateKey });
    },
  };
}
