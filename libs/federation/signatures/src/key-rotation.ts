import type { SigningAlgorithm } from '#federation/protocol';

/** Time in which a key of ours is used. */
export interface KeyTimes {
  readonly algorithm: SigningAlgorithm;
  /** Signs from this time on; it is published earlier. */
  readonly notBefore: Date;
  /** From this time on it neither signs nor is published; null if no end is planned. */
  readonly retiredAt: Date | null;
}

export interface KeysInUse<Key> {
  /** The signing key of each algorithm. */
  readonly signing: ReadonlyMap<SigningAlgorithm, Key>;
  /** All keys that a partner may still need or will soon need. */
  readonly published: readonly Key[];
}

const HOUR_MS = 3_600_000;
/** Nextcloud caches a JWKS for an hour. Source: federation-facts 10. */
const AHEAD_MS = 2 * HOUR_MS;
/** Longer than any signature is valid, with a margin for clocks and deliveries under way. */
const KEPT_MS = 24 * HOUR_MS;

/**
 * Decides which keys sign and which are published: the latest of the valid keys signs. If none is valid yet because a clock is
 * slow, the next key signs: partners that know our key accept nothing unsigned.
 */
export function keysInUse<Key extends KeyTimes>(keys: readonly Key[], now: Date): KeysInUse<Key> {
  const published = keys.filter(({ retiredAt }) => retiredAt === null || retiredAt > now);
  const signing = new Map<SigningAlgorithm, Key>();
  for (const key of published) {
    const other = signing.get(key.algorithm);
    if (!other || signsRather(key, other, now)) signing.set(key.algorithm, key);
  }
  return { signing, published };
}

function signsRather(key: KeyTimes, other: KeyTimes, now: Date): boolean {
  if (key.notBefore > now) return other.notBefore > key.notBefore;
  return other.notBefore > now || other.notBefore < key.notBefore;
}

export interface RotationPlan {
  readonly notBefore: Date;
  readonly predecessorsRetireAt: Date;
}

/**
 * Decides when a new key takes over, and when the earlier ones end.
 *
 * A key in a JWKS is published ahead. The key in `publicKey` takes over at once, because there is room for only one:
 * Nextcloud asks again for an unknown key id.
 * @param why after a leak there is no overlap
 */
export function planRotation(
  algorithm: SigningAlgorithm,
  why: 'planned' | 'leaked',
  now: Date,
): RotationPlan {
  if (why === 'leaked') return { notBefore: now, predecessorsRetireAt: now };
  const notBefore = new Date(now.getTime() + (algorithm === 'rsa-sha512' ? 0 : AHEAD_MS));
  return { notBefore, predecessorsRetireAt: new Date(notBefore.getTime() + KEPT_MS) };
}
