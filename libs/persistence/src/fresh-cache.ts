import { boundedCache, type BoundedCache } from '#platform';
import { STALE_AFTER_MS, type ChangeFeed, type ChangeTopic } from './change-feed';

interface Entry<V> {
  readonly value: V;
  readonly readAt: number;
}

export interface FreshCacheOptions {
  readonly max: number;
  readonly topic: ChangeTopic;
  /** The cache's key of what an announcement names; the announced key itself when absent. */
  readonly keyOf?: (announced: string) => string;
  /** Clock in milliseconds; tests give their own. */
  readonly now?: () => number;
}

/**
 * Rows kept in memory under the one rule of freshness: a change announced for `topic` and the entry's key drops
 * it, a gap in the announcements drops everything, and while none can be heard an entry lives for one second.
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

  /** The cached value, or what `load` reads; a value that was loaded while something changed is returned but not kept. */
  async read(key: string, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const { readAt, generation } = this.mark();
    const value = await load();
    if (value !== undefined) this.keep(key, value, readAt, generation);
    return value;
  }

  /** Keeps what was read at `readAt` (milliseconds), unless something changed since `generation` was taken. */
  keep(key: string, value: V, readAt: number, generation: number): void {
    if (generation === this.generation) this.entries.set(key, { value, readAt });
  }

  /** Marks the moment before a read whose result `keep` is given. */
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
