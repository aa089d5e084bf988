import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '#platform';
import { DeliverMessage, type JobOf, type JobProcessor, type Waiting } from '#queue';

/** Longer than the answer of most partners takes. */
const WAITING_AFTER_MS = 250;
/** So many attempts to partners that hang, as a multiple of the attempts at once, may wait in one process. */
const WAITING_FACTOR = 40;
/** Half of the partners with connections that a process may have at the same time. */
const MOST_WAITING = 2_000;

/** One attempt per job; the outbox decides whether there is another one, also after a job that ended before its attempt. */
@Injectable()
export class DeliveryProcessor implements JobProcessor<'delivery'> {
  readonly concurrency: number;
  readonly waiting: Waiting;

  constructor(
    private readonly deliver: DeliverMessage,
    @Inject(CONFIG) config: Config,
  ) {
    this.concurrency = config.DELIVERY_CONCURRENCY;
    this.waiting = {
      afterMs: WAITING_AFTER_MS,
      atMost: Math.min(WAITING_FACTOR * config.DELIVERY_CONCURRENCY, MOST_WAITING),
    };
  }

  async process({ messageId, round }: JobOf<'delivery'>): Promise<void> {
    await this.deliver.run({ messageId, round });
  }
}
