import type { Search } from '#persistence';

/**
 * The partners that a worker probes next. These are known: those with a share that has to be probed now, and those that it
 * visited before, at the time of their next probe. Beside them each round takes some steps of a walk along all partners with received
 * shares, for everything that another process knows.
 */
export class PartnersToProbe {
  /** Time of the next look at each known partner. */
  private readonly dueAt = new Map<number, number>();
  /** The partner that the walk has reached. */
  private after = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param inMs milliseconds until a share of this partner may be due */
  add(peerId: number, inMs: number): void {
    this.put(peerId, this.now() + inMs);
  }

  /** Looks at the known partners whose time has come, the longest overdue first, and at some others. */
  async search<Found extends { readonly rest: Search }>(
    look: (search: Search) => Promise<Found>,
  ): Promise<Found> {
    const now = this.now();
    const due = [...this.dueAt].filter(([, at]) => at <= now).sort(([, one], [, other]) => one - other);
    for (const [peerId] of due) this.dueAt.delete(peerId);
    try {
      const found = await look({ peers: due.map(([peerId]) => peerId), after: this.after });
      this.after = found.rest.after ?? 0;
      const since = new Map(due);
      for (const peerId of found.rest.peers) this.put(peerId, since.get(peerId) ?? now);
      return found;
    } catch (error) {
      for (const [peerId, at] of due) this.put(peerId, at);
      throw error;
    }
  }

  private put(peerId: number, at: number): void {
    this.dueAt.set(peerId, Math.min(at, this.dueAt.get(peerId) ?? Infinity));
  }
}
