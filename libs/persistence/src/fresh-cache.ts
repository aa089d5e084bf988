import { boundedCache, type BoundedCache } from '#platform';
import { STALE_AFTER_MS, type ChangeFeed, type ChangeTopic } from './change-feed';

interface Entry<V> {
  readonly value: V;
  readonly readAt: number;
}

export interface FreshCacheOptions {
  readonly max: number;
  readonly topic: ChangeTopic;
  /** Converts an announced key into the cache's key. Default: no change. */
  readonly keyOf?: (announced: string) => string;
  /** Clock in milliseconds; tests pass their own. */
  readonly now?: () => number;
}

/**
 * Rows kept in memory under the rule of freshness: an announced change for `topic` and the entry's key drops
 * it, a gap in the announcements drops everything, and while no announcements arrive an entry lives for one second.
 */
export class FreshCache<V extends object> {
  private readonly entries: BoundedCache<Entry<V>>;
  private readonly now: () => number;
  private generation = 0;

  constructor(
    private readonly feed: Pick<ChangeFeed, 'isLive' | 'onChange' | 'onGap'>,
    options: FreshCacheOptions,
  ) {
    this.entries = boundedCache(options.max);
    this.now = options.now ?? Date.now;
    feed.onChange((topic, key) => {
      if (topic === options.topic) this.drop(options.keyOf?.(key) ?? key);
    });
    feed.onGap(() => this.dropAll());
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    return this.feed.isLive || this.now() - entry.readAt < STALE_AFTER_MS ? entry.value : undefined;
  }

  /** The cached value, or the result of `load`. If something changed during `load`, the result is returned but not kept. */
  async read(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const { readAt, generation } = this.mark();
    const value = await load();
    if (value !== undefined) this.keep(key, value, readAt, generation);
    return value;
  }

  /** Keeps a value that was read at `readAt` (milliseconds), unless something changed since `mark` returned `generation`. */
  keep(key: string, value: V, readAt: number, generation: number): void {
    if (generation === this.generation) this.entries.set(key, { value, readAt });
  }

  /** Marks the start of a read; `keep` needs the result. */
  mark(): { readAt: number; generation: number } {
    return { readAt: this.now(), generation: this.generation };
  }

  drop(key: string): void {
    this.generation++;
    this.entries.delete(key);
  }

  dropAll(): void {
    this.generation++;
    this.entries.clear();
  }
}
