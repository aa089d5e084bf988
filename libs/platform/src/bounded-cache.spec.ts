import { boundedCache } from './bounded-cache';

describe('a bounded cache', () => {
  it('drops the entry that was not used for longest', () => {
    const cache = boundedCache<number>(2);
    cache.set('first', 1);
    cache.set('second', 2);
    cache.get('first');
    cache.set('third', 3);
    expect([...cache.keys()]).toEqual(['third', 'first']);
  });

  it('drops each entry after its lifetime', () => {
    const cache = boundedCache<number>(2, 60_000);
    cache.set('key', 1);
    expect(cache.getRemainingTTL('key')).toBeGreaterThan(0);
    expect(cache.getRemainingTTL('key')).toBeLessThanOrEqual(60_000);
    const lasting = boundedCache<number>(2);
    lasting.set('key', 1);
    expect(lasting.getRemainingTTL('key')).toBe(Infinity);
  });
});
