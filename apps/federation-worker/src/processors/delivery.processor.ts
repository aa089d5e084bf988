import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, LOGGER, type Config, type Logger } from '#platform';
import { DeliverMessage, DeliveryPlaces, type JobOf, type JobProcessor } from '#queue';

/** Longer than the answer of most partners takes. */
const WAITING_AFTER_MS = 250;
/** So many attempts to partners that hang, as a multiple of the attempts at once, may wait in one process. */
const WAITING_FACTOR = 40;
/** Half of the partners with connections that a process may have at the same time. */
const MOST_WAITING = 2_000;

/** One attempt for each message of a job; the outbox decides whether there is another one, also after a job that ended before its attempts. */
@Injectable()
export class DeliveryProcessor implements JobProcessor<'delivery'> {
  /** A job has at least one message, so this number of jobs fills all places. */
  readonly concurrency: number;
  private readonly places: DeliveryPlaces;

  constructor(
    private readonly deliver: DeliverMessage,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.concurrency = config.DELIVERY_CONCURRENCY;
    this.places = new DeliveryPlaces(
      placeLimits(config.DELIVERY_CONCURRENCY),
      logger.child({ subsystem: 'delivery' }),
    );
  }

  /** @throws the first failure, when all attempts have ended */
  async process({ messages }: JobOf<'delivery'>): Promise<void> {
    const ends = await Promise.allSettled(
      messages.map((message) => this.places.run(() => this.deliver.run(message))),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  settled(): Promise<void> {
    return this.places.settled();
  }
}

/** @param places attempts at once */
export function placeLimits(places: number) {
  const withoutPlace = Math.min(WAITING_FACTOR * places, MOST_WAITING);
  return { places, afterMs: WAITING_AFTER_MS, withoutPlace };
}
