import { AuthenticationFailed } from './authentication-failed';

const BUSY_RETRY_SECONDS = 2;
/** One client has at most this part of the places where work waits. */
const PART_OF_ONE_CLIENT = 1 / 4;

type Start = () => void;

/**
 * Work that takes processor time: so much at once, and a bounded number that waits. Clients take turns, and no client has
 * more than a quarter of the places: the others neither wait behind all of one client's work, nor find the queue full of it.
 */
export class FairQueue {
  private running = 0;
  private waiting = 0;
  /** Work that waits, by client; the client whose turn is next comes first. */
  private readonly byClient = new Map<string, Start[]>();
  private readonly ofOneClient: number;

  /**
   * @param atOnce work that runs at the same time
   * @param places work that may wait
   */
  constructor(
    private readonly atOnce: number,
    private readonly places: number,
  ) {
    this.ofOneClient = Math.max(1, Math.floor(places * PART_OF_ONE_CLIENT));
  }

  /**
   * Runs `work` when it is its client's turn.
   * @throws AuthenticationFailed `busy` where all places are taken, or all of this client's
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

  /** @throws AuthenticationFailed `busy` where work of this client would be refused now */
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

  /** Hands the place of work that ended to the next client, which goes to the end of the turns. */
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
