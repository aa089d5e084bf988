import type { ChangeTopic } from './change-feed';
import { FreshCache } from './fresh-cache';

/** A feed whose announcements come from the test. */
class ControlledFeed {
  isLive = true;
  private readonly listeners: ((topic: ChangeTopic, key: string) => void)[] = [];
  private readonly gapListeners: (() => void)[] = [];

  onChange(listener: (topic: ChangeTopic, key: string) => void): void {
    this.listeners.push(listener);
  }

  onGap(listener: () => void): void {
    this.gapListeners.push(listener);
  }

  change(topic: ChangeTopic, key: string): void {
    for (const listener of this.listeners) listener(topic, key);
  }

  gap(): void {
    for (const listener of this.gapListeners) listener();
  }
}

interface Row {
  readonly version: number;
}

let feed: ControlledFeed;
let now: number;
let version: number;
let cache: FreshCache<Row>;

beforeEach(() => {
  feed = new ControlledFeed();
  now = 1_000_000;
  version = 1;
  cache = new FreshCache(feed, {
    max: 2,
    topic: 'account',
    keyOf: (uid) => uid.toLowerCase(),
    now: () => now,
  });
});

const load = async (): Promise<Row> => ({ version });
const read = async (key = 'alice'): Promise<number | undefined> => (await cache.read(key, load))?.version;

describe('a fresh cache', () => {
  it('reads once while announcements arrive, even after a long time', async () => {
    expect(await read()).toBe(1);
    version = 2;
    now += 3_600_000;
    expect(await read()).toBe(1);
    expect(cache.get('alice')).toEqual({ version: 1 });
  });

  it('reads only announced changes again', async () => {
    await read('alice');
    await read('bob');
    version = 2;
    feed.change('group', 'alice');
    expect(await read('alice')).toBe(1);
    feed.change('account', 'ALICE');
    expect(await read('alice')).toBe(2);
    expect(await read('bob')).toBe(1);
  });

  it('uses no copy older than a second while announcements cannot arrive', async () => {
    await read();
    version = 2;
    feed.isLive = false;
    now += 999;
    expect(await read()).toBe(1);
    now += 1;
    expect(cache.get('alice')).toBeUndefined();
    expect(await read()).toBe(2);
  });

  it('counts the age of a copy from the beginning of its read', async () => {
    feed.isLive = false;
    await cache.read('alice', async () => {
      now += 1000;
      return { version };
    });
    expect(cache.get('alice')).toBeUndefined();
  });

  it('drops everything when changes may have been missed', async () => {
    await read('alice');
    await read('bob');
    version = 2;
    feed.gap();
    expect(await read('alice')).toBe(2);
    expect(await read('bob')).toBe(2);
  });

  it.each([
    ['a change', () => feed.change('account', 'alice')],
    ['a gap', () => feed.gap()],
  ])('does not keep rows that were read during %s', async (_, happen) => {
    const stale = await cache.read('alice', async () => {
      happen();
      return { version: 0 };
    });
    expect(stale).toEqual({ version: 0 });
    expect(cache.get('alice')).toBeUndefined();
    expect(await read()).toBe(1);
  });

  it('keeps nothing if nothing was found', async () => {
    expect(await cache.read('nobody', async () => undefined)).toBeUndefined();
    expect(await read('nobody')).toBe(1);
  });

  it('keeps a limited number', async () => {
    for (const key of ['a', 'b', 'c']) await read(key);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('c')).toEqual({ version: 1 });
  });
});
