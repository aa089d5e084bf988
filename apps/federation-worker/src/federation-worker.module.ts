import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { DeliverySender } from '#federation/delivery';
import {
  ChangeFeed,
  Database,
  DeliveryRepository,
  InboxRepository,
  OutboxDispatchRepository,
  OutboxRepository,
  PersistenceModule,
} from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { DeliverMessage, JobQueues, OutboxModule, OutboxRelay, QueueModule, Schedules } from '#queue';
import { DELIVERY_SENDER } from './partner-ports';
import { DeliveryProcessor } from './processors/delivery.processor';
import { DiscoveryProcessor } from './processors/discovery.processor';
import { SchedulesProcessor } from './processors/schedules.processor';
import { housekeeping } from './schedules/housekeeping';
import { WorkerLifecycle } from './worker-lifecycle';

const DELIVERY = [
  OutboxDispatchRepository,
  InboxRepository,
  {
    provide: DeliveryRepository,
    inject: [Database],
    useFactory: (database: Database) => new DeliveryRepository(database, { next: Math.random }),
  },
  {
    provide: OutboxRelay,
    inject: [OutboxDispatchRepository, JobQueues, ChangeFeed, LOGGER],
    useFactory: (outbox: OutboxDispatchRepository, queues: JobQueues, feed: ChangeFeed, logger: Logger) =>
      new OutboxRelay(outbox, queues, feed, logger),
  },
  {
    provide: DeliverMessage,
    inject: [DeliveryRepository, DELIVERY_SENDER, OutboxRelay],
    useFactory: (store: DeliveryRepository, sender: DeliverySender, relay: OutboxRelay) =>
      new DeliverMessage(store, sender, () => relay.wake()),
  },
  {
    provide: Schedules,
    inject: [InboxRepository, OutboxRepository, JobQueues, LOGGER],
    useFactory: (inbox: InboxRepository, outbox: OutboxRepository, queues: JobQueues, logger: Logger) =>
      new Schedules(housekeeping(inbox, outbox), queues, logger),
  },
];

/** Delivers what stands in the outbox, discovers partners, and does scheduled work. */
@Module({})
export class FederationWorkerModule {
  /** @param partners exports DELIVERY_SENDER and PEER_DISCOVERY */
  static with(partners: Type<unknown> | DynamicModule): DynamicModule {
    return {
      module: FederationWorkerModule,
      imports: [PersistenceModule, QueueModule, OutboxModule, partners],
      providers: [...DELIVERY, DeliveryProcessor, DiscoveryProcessor, SchedulesProcessor, WorkerLifecycle],
    };
  }
}
