import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '#platform';
import { DeliverMessage, type JobOf, type JobProcessor, type Waiting } from '#queue';

/** Longer than the answer of most partners takes. */
const WAITING_AFTER_MS = 250;
/** So many attempts to partners that hang, as a multiple of the attempts at once, may wait in one process. */
const WAITING_FACTOR = 40;

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
    this.waiting = { afterMs: WAITING_AFTER_MS, atMost: WAITING_FACTOR * config.DELIVERY_CONCURRENCY };
  }

  async process({ messageId, round }: JobOf<'delivery'>): Promise<void> {
    await this.deliver.run({ messageId, round });
  }
}
