import { setTimeout as pause } from 'node:timers/promises';
import { BEGINNINGS, type DeliveryOutcome, type DeliverySender } from '#federation/exchange';
import type { ClaimedMessage, DispatchedMessage, FinishedAttempt } from '#persistence';
import { Batching } from '#platform';

/** The store in which messages are claimed and attempts are recorded. */
export interface DeliveryStore {
  claim(wanted: readonly DispatchedMessage[], leaseMs: number): Promise<readonly ClaimedMessage[]>;
  settle(finished: readonly FinishedAttempt[]): Promise<number>;
}

/** Observes deliveries. */
export interface DeliveryWitness {
  /** Wraps an attempt, and returns its outcome. */
  attempt(message: ClaimedMessage, make: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome>;
  /** Called when an attempt was recorded: there may be room for another message. */
  settled(message: ClaimedMessage, outcome: DeliveryOutcome): void;
}

/** A message that is not settled within this time is taken again. */
export const LEASE_MS = 60_000;
/**
 * Limit of an attempt, shorter than its message's lease, with time left for recording it. The lease of a message that
 * begins a share is longer.
 */
const ATTEMPT_LIMIT_MS = 40_000;
const BEGINNING_LIMIT_MS = 120_000;
const BATCH = 200;
/** Pauses between tries to record an attempt, so that a short failure of the database does not cause a second sending. */
const RECORDING_PAUSES_MS = [100, 400, 1600, 6400];

/** One attempt to deliver one message: claim, send, record. A repetition, in any process, does no harm. */
export class DeliverMessage {
  private readonly claims: Batching<DispatchedMessage, ClaimedMessage | undefined>;
  private readonly records: Batching<FinishedAttempt, void>;
  private readonly attempts = new Set<AbortController>();
  private isStopping = false;

  constructor(
    private readonly store: DeliveryStore,
    private readonly sender: DeliverySender,
    private readonly witness: DeliveryWitness,
    private readonly leaseMs: number = LEASE_MS,
  ) {
    this.claims = new Batching((wanted) => this.claim(wanted), BATCH);
    this.records = new Batching((finished) => this.record(finished), BATCH);
  }

  async run(wanted: DispatchedMessage): Promise<void> {
    const message = await this.claims.submit(wanted);
    if (!message) return;
    const outcome = await this.witness.attempt(message, () => this.attempt(message));
    await this.records.submit({ message, outcome });
    this.witness.settled(message, outcome);
  }

  /** Interrupts the running attempts, because the process has to end. They count as failed and are repeated. */
  abort(): void {
    this.isStopping = true;
    for (const attempt of this.attempts) attempt.abort();
  }

  private async attempt(message: ClaimedMessage): Promise<DeliveryOutcome> {
    const limitMs = BEGINNINGS.includes(message.kind) ? BEGINNING_LIMIT_MS : ATTEMPT_LIMIT_MS;
    // Not `AbortSignal.timeout`, whose timer would stay until the limit, and not `AbortSignal.any`: the signals of all attempts would
    // stay until a collection of the whole heap.
    const attempt = new AbortController();
    const limit = setTimeout(
      () => attempt.abort(new DOMException('it took too long', 'TimeoutError')),
      limitMs,
    );
    this.attempts.add(attempt);
    if (this.isStopping) attempt.abort();
    try {
      return await this.sender.send(message, attempt.signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // An interrupted message may have arrived.
      return { kind: 'retry', errorClass: 'internal', message: reason, maybeDelivered: true };
    } finally {
      clearTimeout(limit);
      this.attempts.delete(attempt);
    }
  }

  private async claim(wanted: readonly DispatchedMessage[]): Promise<(ClaimedMessage | undefined)[]> {
    const claimed = new Map(
      (await this.store.claim(wanted, this.leaseMs)).map((one) => [one.messageId, one]),
    );
    return wanted.map(({ messageId }) => {
      const message = claimed.get(messageId);
      // If one batch has two jobs for one message, only one sends it.
      claimed.delete(messageId);
      return message;
    });
  }

  private async record(finished: readonly FinishedAttempt[]): Promise<void[]> {
    for (const pauseMs of RECORDING_PAUSES_MS) {
      try {
        await this.store.settle(finished);
        return finished.map(() => undefined);
      } catch {
        await pause(pauseMs);
      }
    }
    await this.store.settle(finished);
    return finished.map(() => undefined);
  }
}
