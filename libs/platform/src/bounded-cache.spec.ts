import { boundedCache } from './bounded-cache';

describe('a bounded cache', () => {
  it('forgets who was not asked for longest', () => {
    const cache = boundedCache<number>(2);
    cache.set('first', 1);
    cache.set('second', 2);
    cache.get('first');
    cache.set('third', 3);
    expect([...cache.keys()]).toEqual(['third', 'first']);
  });

  it('keeps nobody longer than it was told', () => {
    const cache = boundedCache<number>(2, 60_000);
    cache.set('key', 1);
    expect(cache.getRemainingTTL('key')).toBeGreaterThan(0);
    expect(cache.getRemainingTTL('key')).toBeLessThanOrEqual(60_000);
    const lasting = boundedCache<number>(2);
    lasting.set('key', 1);
    expect(lasting.getRemainingTTL('key')).toBe(Infinity);
  });
});
