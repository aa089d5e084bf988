import { Unavailable } from './http/unavailable';

const RETRY_AFTER_SECONDS = 30;

/** Limits simultaneous work of one kind in a process, in total and for each caller. */
export class Places {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(
    /** In total. */
    private readonly places: number,
    /** For one holder, such as an account or a link. */
    private readonly ofOneHolder: number,
  ) {}

  /** @returns a function that releases the place, once @throws Unavailable */
  take(holder: string): () => void {
    const own = this.taken.get(holder) ?? 0;
    if (own >= this.ofOneHolder || this.total >= this.places)
      throw new Unavailable('too much of this is being done', RETRY_AFTER_SECONDS);
    this.taken.set(holder, own + 1);
    this.total++;
    let isTaken = true;
    return () => {
      if (isTaken) this.giveBack(holder);
      isTaken = false;
    };
  }

  private giveBack(holder: string): void {
    const own = (this.taken.get(holder) ?? 0) - 1;
    if (own > 0) this.taken.set(holder, own);
    else this.taken.delete(holder);
    this.total--;
  }
}
