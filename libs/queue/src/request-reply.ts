import type { ChangeFeed } from '#persistence';

export interface AwaitedReply<T> {
  /** The announcement that makes a read worthwhile. */
  readonly topic:
    | 'delivery'
    | 'peer'
    | 'partner-keys'
    | 'invitation'
    | 'foreign-link'
    | 'mail-lookup'
    | 'partner-rename'
    | 'first-look';
  readonly key: string;
  /** Reads the reply, with one short statement; undefined if there is none. */
  readonly read: () => Promise<T | undefined>;
  readonly timeoutMs: number;
  /** Whether the request was written a moment ago: it is then read only after an announcement, or after a while. */
  readonly isNew?: boolean;
}

/** Pause between reads without an announcement, as one can be lost with the process that has to send it. */
const LOOK_MS = 1000;
/** The same while no announcements can be received. */
const BLIND_LOOK_MS = 250;
/** Announcements are remembered at least this long, for requests whose waiting begins after them. */
const REMEMBERED_MS = 1000;

/** Announcements of the last moment, in two sets, the older of which is dropped as a whole. */
class LatelyHeard {
  private latest = new Set<string>();
  private earlier = new Set<string>();
  private since = performance.now();

  add(key: string): void {
    if (performance.now() - this.since >= REMEMBERED_MS) {
      this.earlier = this.latest;
      this.latest = new Set();
      this.since = performance.now();
    }
    this.latest.add(key);
  }

  has(key: string): boolean {
    return this.latest.has(key) || this.earlier.has(key);
  }
}

/**
 * Waits for a worker's reply to a request in the database or in the queue.
 *
 * Between reads it holds no database connection. If the waiting client disconnects, only the waiting ends.
 */
export class RequestReply {
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly heard = new LatelyHeard();

  constructor(private readonly feed: Pick<ChangeFeed, 'isLive' | 'onChange' | 'onGap'>) {
    feed.onChange((topic: string, key: string) => {
      this.heard.add(`${topic}:${key}`);
      this.wake(`${topic}:${key}`);
    });
    feed.onGap(() => {
      for (const key of this.waiting.keys()) this.wake(key);
    });
  }

  /** @returns the reply; undefined if it did not come in time */
  async wait<T>({ topic, key, read, timeoutMs, isNew = false }: AwaitedReply<T>): Promise<T | undefined> {
    const deadline = performance.now() + timeoutMs;
    let isUnanswered = isNew && this.feed.isLive && !this.heard.has(`${topic}:${key}`);
    for (;;) {
      // Starts listening before the first read, so that no reply is missed between the two.
      const heard = this.listen(`${topic}:${key}`);
      try {
        const reply = isUnanswered ? undefined : await read();
        isUnanswered = false;
        const leftMs = deadline - performance.now();
        if (reply !== undefined || leftMs <= 0) return reply;
        await heard.within(Math.min(leftMs, this.feed.isLive ? LOOK_MS : BLIND_LOOK_MS));
      } finally {
        heard.stop();
      }
    }
  }

  private listen(key: string) {
    let hear = (): void => undefined;
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const listeners = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, listeners.add(hear));
    let timer: NodeJS.Timeout | undefined;
    return {
      within: (limitMs: number): Promise<void> => {
        timer = setTimeout(hear, limitMs);
        return heard;
      },
      stop: (): void => {
        clearTimeout(timer);
        listeners.delete(hear);
        if (listeners.size === 0 && this.waiting.get(key) === listeners) this.waiting.delete(key);
      },
    };
  }

  private wake(key: string): void {
    for (const hear of this.waiting.get(key) ?? []) hear();
  }
}
