/** Shares that are remembered; the oldest go first. */
const MAX_REMEMBERED = 10_000;

/** When something was done last for received shares, as this process knows. */
export class LastTimes {
  private readonly times = new Map<number, number>();

  isDue(receivedShareId: number, everyMs: number): boolean {
    const last = this.times.get(receivedShareId);
    return last === undefined || performance.now() - last >= everyMs;
  }

  remember(receivedShareId: number): void {
    this.times.delete(receivedShareId);
    this.times.set(receivedShareId, performance.now());
    const [oldest] = this.times.keys();
    if (this.times.size > MAX_REMEMBERED && oldest !== undefined) this.times.delete(oldest);
  }
}
