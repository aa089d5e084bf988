import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatched, DispatchedMessage, QueuedMessage, Search } from '#persistence';
import { OutageLog, readOrigin, Tracing, type Logger } from '#platform';
import { QueueAway, type JobQueues, type NewJob } from '../jobs/job-queues';
import { MESSAGES_PER_JOB } from '../jobs/queues';
import { LEASE_MS } from './deliver-message';
import { PartnersToSearch } from './partners-to-search';

/** The part of the outbox that the relay needs. */
export interface DispatchSource {
  dispatch(leaseMs: number, search: Search): Promise<Dispatched>;
  giveBack(messages: readonly DispatchedMessage[]): Promise<void>;
  reclaim(): Promise<number>;
}

/** Announces new messages. Messages may also become due without an announcement. */
export interface WakeSignals {
  onChange(listener: (topic: string, key: string) => void): void;
  onGap(listener: () => void): void;
}

export interface RelayOptions {
  /** Longest pause between two reads of the outbox, in milliseconds. */
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly tracing: Tracing;
}

/** Minimum pause between two reads, so that each finds more. */
const BREATH_MS = 10;

const DEFAULTS: RelayOptions = { pollMs: 1000, leaseMs: LEASE_MS, tracing: Tracing.off };

/**
 * Moves messages from the outbox to the queue. Every worker runs one relay; each message goes to one of them.
 *
 * A job has several messages. Its id consists of the id of its first message and the number of times that this message was handed over. So a job
 * that is just ending does not suppress the next delivery of its messages.
 */
export class OutboxRelay {
  private readonly options: RelayOptions;
  /** Outages of the database; outages of the queue are reported elsewhere. */
  private readonly outage: OutageLog;
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> | undefined;
  private again = false;
  private stopped = true;
  private reclaimedAt = -Infinity;
  private readonly partners: PartnersToSearch;

  constructor(
    private readonly outbox: DispatchSource,
    private readonly queues: Pick<JobQueues, 'add'>,
    signals: WakeSignals,
    logger: Logger,
    options: Partial<RelayOptions> = {},
  ) {
    this.options = { ...DEFAULTS, ...options };
    this.outage = new OutageLog(logger.child({ subsystem: 'relay' }), 'the outbox');
    this.partners = new PartnersToSearch(this.options.pollMs);
    signals.onChange((topic, key) => {
      if (topic === 'outbox') this.wake(key === '' ? undefined : key.split(',').map(Number));
    });
    signals.onGap(() => this.wake());
  }

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Resolves when no message is being moved any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.underWay;
  }

  /**
   * Reads the outbox now, or once more after the read that is running.
   * @param peers ids of partners that may have messages for the queue; all partners if it is left out
   */
  wake(peers?: readonly number[]): void {
    if (this.stopped) return;
    if (peers) this.partners.add(peers);
    else this.partners.addAll();
    this.goOn();
  }

  private goOn(): void {
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
    if (!this.stopped) this.timer = setTimeout(() => this.goOn(), pauseMs).unref();
  }

  /** At most once per poll, because lost messages are not urgent. */
  private async reclaim(): Promise<void> {
    if (performance.now() - this.reclaimedAt < this.options.pollMs) return;
    this.reclaimedAt = performance.now();
    if ((await this.outbox.reclaim()) > 0) this.partners.addAll();
  }

  /** @returns milliseconds until the next read */
  private async move(): Promise<number> {
    const startedAtMs = Date.now();
    const { messages, moreInMs } = await this.partners.search((search) =>
      this.outbox.dispatch(this.options.leaseMs, search),
    );
    try {
      await this.queues.add('delivery', jobsOf(messages));
    } catch (error) {
      await this.outbox.giveBack(messages);
      throw error;
    }
    this.trace(messages, startedAtMs);
    const nextInMs = Math.min(moreInMs ?? Infinity, this.partners.nextInMs(), this.options.pollMs);
    return Math.max(nextInMs, 1);
  }

  /** One read finds messages of many traces, so the read itself belongs to none of them. */
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

/** Jobs with some messages each. */
function jobsOf(messages: readonly DispatchedMessage[]): NewJob<'delivery'>[] {
  const jobs: NewJob<'delivery'>[] = [];
  for (let from = 0; from < messages.length; from += MESSAGES_PER_JOB) {
    const some = messages.slice(from, from + MESSAGES_PER_JOB);
    const { messageId: first, round: itsRound } = some[0]!;
    const job = { v: 2 as const, messages: some.map(({ messageId, round }) => ({ messageId, round })) };
    jobs.push({ id: `message-${first}-${itsRound}`, job });
  }
  return jobs;
}
