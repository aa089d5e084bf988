/** Maximum of remembered keys; the oldest are dropped. */
const MAX_REMEMBERED = 10_000;

/** Times of the last action for received shares or people, as this process knows them. */
export class LastTimes<Key extends number | string = number> {
  private readonly times = new Map<Key, number>();

  isDue(key: Key, everyMs: number): boolean {
    const last = this.times.get(key);
    return last === undefined || performance.now() - last >= everyMs;
  }

  remember(key: Key): void {
    this.times.delete(key);
    this.times.set(key, performance.now());
    const [oldest] = this.times.keys();
    if (this.times.size > MAX_REMEMBERED && oldest !== undefined) this.times.delete(oldest);
  }
}
