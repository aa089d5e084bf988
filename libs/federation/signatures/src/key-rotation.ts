import type { SigningAlgorithm } from '#federation/protocol';

/** When a key of ours is used. */
export interface KeyTimes {
  readonly algorithm: SigningAlgorithm;
  /** Signs from then on; published before. */
  readonly notBefore: Date;
  /** Neither signs nor is published from then on; null while that is not planned. */
  readonly retiredAt: Date | null;
}

export interface KeysInUse<Key> {
  /** The one that signs, for each algorithm that has any. */
  readonly signing: ReadonlyMap<SigningAlgorithm, Key>;
  /** All that a partner may still or will soon need. */
  readonly published: readonly Key[];
}

const HOUR_MS = 3_600_000;
/** Nextcloud keeps a JWKS for an hour. Source: federation-facts 10. */
const AHEAD_MS = 2 * HOUR_MS;
/** Longer than any signature is good for, with room for clocks and deliveries under way. */
const KEPT_MS = 24 * HOUR_MS;

/**
 * Decides which keys sign and which are published: of those in their time the latest signs. Where none is, by a clock that is
 * behind, the next one does: partners who know our key take nothing unsigned.
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
 * When a new key takes over, and when those before it go.
 *
 * A key in a JWKS is published ahead. The one in `publicKey` takes over at once, because there is room for one only:
 * Nextcloud asks again for a key id that it does not know.
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
