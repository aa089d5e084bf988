import { LRUCache } from 'lru-cache';

export type BoundedCache<V extends NonNullable<unknown>> = LRUCache<string, V>;

/**
 * A cache of at most `max` entries, each for at most `ttlMs` milliseconds; the least recently used entry is removed
 * first. Its memory grows as it fills: with LRUCache's own `max` an empty cache of 50,000 entries takes more than a
 * megabyte.
 */
export function boundedCache<V extends NonNullable<unknown>>(max: number, ttlMs?: number): BoundedCache<V> {
  return new LRUCache<string, V>({ maxSize: max, sizeCalculation: () => 1, ttl: ttlMs });
}
