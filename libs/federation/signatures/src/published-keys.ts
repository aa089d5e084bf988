import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { SigningAlgorithm } from '#federation/protocol';
import type { KeysInUse, KeyTimes } from './key-rotation';
import { keyIdOf } from './signing-key';

/** The public half of a key of ours, in its stored form. */
export interface PublicSigningKey extends KeyTimes {
  readonly id: string;
  readonly publicJwk: JsonWebKey;
}

/** Names in JOSE; Nextcloud requires one for every key. RSA keys are published in `publicKey` instead. */
const JOSE_NAMES: Readonly<Partial<Record<SigningAlgorithm, string>>> = {
  'ecdsa-p256-sha256': 'ES256',
  ed25519: 'EdDSA',
};

/** The document at `/.well-known/jwks.json`: the keys for checking our RFC 9421 signatures. */
export function jwksDocument(
  { published }: Pick<KeysInUse<PublicSigningKey>, 'published'>,
  publicUrl: string,
): { readonly keys: readonly JsonWebKey[] } {
  return {
    keys: published.flatMap(({ id, algorithm, publicJwk }) => {
      const alg = JOSE_NAMES[algorithm];
      return alg === undefined ? [] : [{ ...publicJwk, kid: keyIdOf(id, publicUrl), alg, use: 'sig' }];
    }),
  };
}

/** The member `publicKey` of our discovery document; undefined while no key signs by draft-cavage. */
export function publicKeyMember(
  { signing }: Pick<KeysInUse<PublicSigningKey>, 'signing'>,
  publicUrl: string,
): { readonly keyId: string; readonly publicKeyPem: string } | undefined {
  const key = signing.get('rsa-sha512');
  if (!key) return undefined;
  const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' });
  return {
    keyId: keyIdOf(key.id, publicUrl),
    publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  };
}
