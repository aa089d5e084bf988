import { setTimeout as pause } from 'node:timers/promises';
import { BEGINNINGS, type DeliveryOutcome, type DeliverySender } from '#federation/exchange';
import type { ClaimedMessage, DispatchedMessage, FinishedAttempt } from '#persistence';
import { Batching } from '#platform';

/** Where messages are claimed and attempts are recorded. */
export interface DeliveryStore {
  claim(wanted: readonly DispatchedMessage[], leaseMs: number): Promise<readonly ClaimedMessage[]>;
  settle(finished: readonly FinishedAttempt[]): Promise<number>;
}

/** Sees what becomes of messages. */
export interface DeliveryWitness {
  /** Gets an attempt to make, and gives back what came of it. */
  attempt(message: ClaimedMessage, make: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome>;
  /** An attempt is recorded: there may be room for another message. */
  settled(message: ClaimedMessage, outcome: DeliveryOutcome): void;
}

/** A message that nobody settles for so long is taken again. */
export const LEASE_MS = 60_000;
/** An attempt is cut before its message's lease ends, with time left to record it. The lease of a beginning is longer. */
const ATTEMPT_LIMIT_MS = 40_000;
const BEGINNING_LIMIT_MS = 120_000;
const BATCH = 200;
/** Pauses between tries to record an attempt; a message that was sent is not sent again for a hiccup of the database. */
const RECORDING_PAUSES_MS = [100, 400, 1600, 6400];

/** One attempt to deliver one message: claim, send, record. Repeating it, anywhere, does no harm. */
export class DeliverMessage {
  private readonly claims: Batching<DispatchedMessage, ClaimedMessage | undefined>;
  private readonly records: Batching<FinishedAttempt, void>;
  private readonly stopping = new AbortController();

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

  /** Cuts the attempts under way: the process has to end. They count as failed and are repeated. */
  abort(): void {
    this.stopping.abort();
  }

  private async attempt(message: ClaimedMessage): Promise<DeliveryOutcome> {
    const limitMs = BEGINNINGS.includes(message.kind) ? BEGINNING_LIMIT_MS : ATTEMPT_LIMIT_MS;
    const signal = AbortSignal.any([AbortSignal.timeout(limitMs), this.stopping.signal]);
    try {
      return await this.sender.send(message, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // A message that was on its way when it was cut may have arrived.
      return { kind: 'retry', errorClass: 'internal', message: reason, maybeDelivered: true };
    }
  }

  private async claim(wanted: readonly DispatchedMessage[]): Promise<(ClaimedMessage | undefined)[]> {
    const claimed = new Map(
      (await this.store.claim(wanted, this.leaseMs)).map((one) => [one.messageId, one]),
    );
    return wanted.map(({ messageId }) => {
      const message = claimed.get(messageId);
      // Of two jobs for one message in one batch only one sends it.
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
