import { Unavailable } from './http/unavailable';

const RETRY_AFTER_SECONDS = 30;

/** Bounds work of one kind that a process does at a time, for all callers and for each. */
export class Places {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(
    /** In all. */
    private readonly places: number,
    /** For one holder, such as an account or a link. */
    private readonly ofOneHolder: number,
  ) {}

  /** @returns gives the place back, once @throws Unavailable */
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
