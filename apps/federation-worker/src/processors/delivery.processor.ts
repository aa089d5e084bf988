import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '#platform';
import { DeliverMessage, type JobOf, type JobProcessor } from '#queue';

/** One attempt per job; the outbox decides whether there is another one. */
@Injectable()
export class DeliveryProcessor implements JobProcessor<'delivery'> {
  readonly concurrency: number;

  constructor(
    private readonly deliver: DeliverMessage,
    @Inject(CONFIG) config: Config,
  ) {
    this.concurrency = config.DELIVERY_CONCURRENCY;
  }

  async process({ messageId, round }: JobOf<'delivery'>): Promise<void> {
    await this.deliver.run({ messageId, round });
  }
}
