import { AuthenticationFailed } from './authentication-failed';

const BUSY_RETRY_SECONDS = 2;
/** Maximum part of the queue's places for one client. */
const PART_OF_ONE_CLIENT = 1 / 4;

type Start = () => void;

/**
 * Queue for work that takes processor time, with a limit for running and for waiting work. Clients take turns, and no client has
 * more than a quarter of the places: so one client's work neither delays all others nor fills the queue.
 */
export class FairQueue {
  private running = 0;
  private waiting = 0;
  /** Waiting work by client, in the order of turns. */
  private readonly byClient = new Map<string, Start[]>();
  private readonly ofOneClient: number;

  /**
   * @param atOnce maximum of running work
   * @param places maximum of waiting work
   */
  constructor(
    private readonly atOnce: number,
    private readonly places: number,
  ) {
    this.ofOneClient = Math.max(1, Math.floor(places * PART_OF_ONE_CLIENT));
  }

  /**
   * Runs `work` when it is its client's turn.
   * @throws AuthenticationFailed `busy` if all places are taken, or all of this client's
   */
  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++;
    else await this.turnOf(client);
    try {
      return await work();
    } finally {
      this.startNext();
    }
  }

  /** @throws AuthenticationFailed `busy` if this client's work would be refused now */
  assertRoom(client: string): void {
    const own = this.byClient.get(client)?.length ?? 0;
    if (this.waiting >= this.places || own >= this.ofOneClient)
      throw new AuthenticationFailed('busy', BUSY_RETRY_SECONDS);
  }

  private turnOf(client: string): Promise<void> {
    this.assertRoom(client);
    const own = this.byClient.get(client) ?? [];
    this.waiting++;
    this.byClient.set(client, own);
    return new Promise((start) => own.push(start));
  }

  /** Gives a free place to the next client, which then moves to the end of the turns. */
  private startNext(): void {
    const next = this.byClient.entries().next().value;
    if (!next) {
      this.running--;
      return;
    }
    const [client, [start, ...rest]] = next;
    this.waiting--;
    this.byClient.delete(client);
    if (rest.length > 0) this.byClient.set(client, rest);
    start!();
  }
}
