import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatched, DispatchedMessage, QueuedMessage } from '#persistence';
import { OutageLog, readOrigin, Tracing, type Logger } from '#platform';
import { QueueAway, type JobQueues } from '../jobs/job-queues';
import { LEASE_MS } from './deliver-message';

/** The part of the outbox that the relay needs. */
export interface DispatchSource {
  dispatch(leaseMs: number): Promise<Dispatched>;
  giveBack(messages: readonly DispatchedMessage[]): Promise<void>;
  reclaim(): Promise<number>;
}

/** Announces that something was written; messages may also become due without any announcement. */
export interface WakeSignals {
  onChange(listener: (topic: string, key: string) => void): void;
  onGap(listener: () => void): void;
}

export interface RelayOptions {
  /** Longest pause between two looks into the outbox, milliseconds. */
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly tracing: Tracing;
}

/** Probes that follow each other are so far apart at least: each then finds more. */
const BREATH_MS = 10;

const DEFAULTS: RelayOptions = { pollMs: 1000, leaseMs: LEASE_MS, tracing: Tracing.off };

/**
 * Moves messages from the outbox to the queue. Every worker runs one; one message goes to one of them.
 *
 * The job's id is that of the message with its round, so a message handed over twice is one job, and a job that is
 * just ending never swallows the next round of its message.
 */
export class OutboxRelay {
  private readonly options: RelayOptions;
  /** Of the database; that of the queue is told where it is noticed. */
  private readonly outage: OutageLog;
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> | undefined;
  private again = false;
  private stopped = true;
  private reclaimedAt = -Infinity;

  constructor(
    private readonly outbox: DispatchSource,
    private readonly queues: Pick<JobQueues, 'add'>,
    signals: WakeSignals,
    logger: Logger,
    options: Partial<RelayOptions> = {},
  ) {
    this.options = { ...DEFAULTS, ...options };
    this.outage = new OutageLog(logger.child({ subsystem: 'relay' }), 'the outbox');
    signals.onChange((topic) => {
      if (topic === 'outbox') this.wake();
    });
    signals.onGap(() => this.wake());
  }

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Resolves when nothing is being moved any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.underWay;
  }

  /** Looks into the outbox now, or once more after the probe that is under way. */
  wake(): void {
    if (this.stopped) return;
    this.again = true;
    this.underWay ??= this.work().finally(() => (this.underWay = undefined));
  }

  private async work(): Promise<void> {
    let pauseMs = this.options.pollMs;
    clearTimeout(this.timer);
    try {
      await this.reclaim();
      while (this.again && !this.stopped) {
        this.again = false;
        const breath = pause(BREATH_MS);
        pauseMs = await this.move();
        await breath;
      }
      this.outage.worked();
    } catch (error) {
      if (!(error instanceof QueueAway)) this.outage.failed(error);
    }
    if (!this.stopped) this.timer = setTimeout(() => this.wake(), pauseMs).unref();
  }

  /** At most once per poll: messages that a worker or a queue forgot are not urgent. */
  private async reclaim(): Promise<void> {
    if (performance.now() - this.reclaimedAt < this.options.pollMs) return;
    this.reclaimedAt = performance.now();
    await this.outbox.reclaim();
  }

  /** @returns how long to wait for more, milliseconds */
  private async move(): Promise<number> {
    const startedAtMs = Date.now();
    const { messages, moreInMs } = await this.outbox.dispatch(this.options.leaseMs);
    try {
      await this.queues.add('delivery', messages.map(jobOf));
    } catch (error) {
      await this.outbox.giveBack(messages);
      throw error;
    }
    this.trace(messages, startedAtMs);
    return moreInMs === null ? this.options.pollMs : Math.min(Math.max(moreInMs, 1), this.options.pollMs);
  }

  /** One probe finds messages of many traces. How a message came into the queue again belongs to none. */
  private trace(messages: readonly QueuedMessage[], startedAtMs: number): void {
    const { tracing } = this.options;
    for (const { messageId, round, origin } of tracing.isOn ? messages : []) {
      const { trace: parent } = readOrigin(origin);
      if (round !== 1 || !parent?.isSampled) continue;
      const attributes = { 'drawbridge.message.id': messageId };
      tracing.start({ name: 'outbox dispatch', kind: 'producer', parent, startedAtMs, attributes })?.end();
    }
  }
}

function jobOf({ messageId, round }: DispatchedMessage) {
  return { id: `message-${messageId}-${round}`, job: { v: 1 as const, messageId, round } };
}
