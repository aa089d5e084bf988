import type { Dispatched, Search } from '#persistence';

/** Pause after a walk, and the additional pause for each further step of it: a walk along thousands of partners is rarer. */
const PAUSE_MS = 100;
const PAUSE_OF_STEP_MS = 500;

/**
 * The partners that a relay looks at next. These are known to have something: those with new messages or with a place that became free,
 * and those whose rate limit has passed. In between it walks along all partners with waiting messages, for repetitions that became
 * due, and for everything that another process knows.
 */
export class PartnersToSearch {
  private readonly named = new Set<number>();
  /** Times at which the rate limits of partners pass. */
  private readonly limited = new Map<number, number>();
  /** The partner that the walk has reached; null between two walks. */
  private after: number | null = null;
  private walksAgain = true;
  private walkBeganAt = -Infinity;
  private steps = 0;
  private nextWalkAt = -Infinity;

  /** @param walkEveryMs longest pause between two walks among few partners */
  constructor(
    private readonly walkEveryMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(peers: readonly number[]): void {
    for (const peer of peers) this.named.add(peer);
  }

  /** All partners are looked at, as soon as a walk is affordable. */
  addAll(): void {
    this.walksAgain = true;
  }

  /** Looks at some of the partners; the others remain. @throws what `look` throws; then all partners will be looked at */
  async search(look: (search: Search) => Promise<Dispatched>): Promise<Dispatched> {
    const startedAt = this.now();
    this.beginWalk(startedAt);
    for (const [peer, at] of this.limited) if (at <= startedAt) this.named.add(peer);
    const peers = [...this.named];
    this.named.clear();
    for (const peer of peers) this.limited.delete(peer);
    if (this.after !== null) this.steps += 1;
    try {
      const found = await look({ peers, after: this.after });
      this.putFirst(found.rest.peers);
      if (this.after !== null && found.rest.after === null) this.endWalk();
      this.after = found.rest.after;
      for (const { peerId, inMs } of found.limited) this.limited.set(peerId, this.now() + inMs);
      return found;
    } catch (error) {
      this.after = null;
      this.addAll();
      throw error;
    }
  }

  /** Partners that waited longer come before those that were named in the meantime. */
  private putFirst(peers: readonly number[]): void {
    const later = [...this.named];
    this.named.clear();
    this.add(peers);
    this.add(later);
  }

  /** Milliseconds until the next search finds something to look at. */
  nextInMs(): number {
    if (this.named.size > 0 || this.after !== null) return 0;
    const now = this.now();
    const walkAt = this.walksAgain ? this.nextWalkAt : Math.max(this.nextWalkAt, this.walkDueAt());
    const next = [...this.limited.values()].reduce((first, at) => Math.min(first, at), walkAt);
    return Math.max(0, next - now);
  }

  private walkDueAt(): number {
    return this.walkBeganAt + this.walkEveryMs;
  }

  private beginWalk(now: number): void {
    if (this.after !== null || now < this.nextWalkAt) return;
    if (!this.walksAgain && now < this.walkDueAt()) return;
    this.walksAgain = false;
    this.walkBeganAt = now;
    this.steps = 0;
    this.after = 0;
  }

  private endWalk(): void {
    this.nextWalkAt = this.now() + PAUSE_MS + (this.steps - 1) * PAUSE_OF_STEP_MS;
  }
}
