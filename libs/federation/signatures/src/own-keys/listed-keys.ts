import type { SigningAlgorithm } from '#federation/protocol';
import type { SigningKeyRow } from '#persistence';
import { keysInUse } from '../key-rotation';

/** Algorithms of our keys, as operators name them. */
export const KEY_NAMES = { ES256: 'ecdsa-p256-sha256', RSA: 'rsa-sha512' } as const satisfies Record<
  string,
  SigningAlgorithm
>;
export type KeyName = keyof typeof KEY_NAMES;
export const ALL_KEY_NAMES = Object.keys(KEY_NAMES) as readonly KeyName[];

/** A key of ours, for operators. */
interface ListedKey {
  readonly id: string;
  readonly algorithm: string;
  readonly state: 'signing' | 'waiting' | 'leaving';
  readonly signsFrom: Date;
  /** null while it has no end. */
  readonly endsAt: Date | null;
}

/** The key of each algorithm that signs, those that wait for their time, and those that leave. */
export function listedKeys(keys: readonly SigningKeyRow[], now: Date): ListedKey[] {
  const { signing } = keysInUse(keys, now);
  return keys.map((key) => ({
    id: key.id,
    algorithm: ALL_KEY_NAMES.find((name) => KEY_NAMES[name] === key.algorithm) ?? key.algorithm,
    state: signing.get(key.algorithm) === key ? 'signing' : key.notBefore > now ? 'waiting' : 'leaving',
    signsFrom: key.notBefore,
    endsAt: key.retiredAt,
  }));
}
