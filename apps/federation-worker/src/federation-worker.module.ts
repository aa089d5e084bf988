import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { DeliverySender } from '#federation/delivery';
import {
  ChangeFeed,
  Database,
  DeliveryFiguresRepository,
  DeliveryRepository,
  InboxRepository,
  InvitationAcceptanceRepository,
  InvitationRepository,
  OutboxDispatchRepository,
  OutboxRepository,
  PersistenceModule,
  ShareWatchRepository,
} from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { DeliverMessage, JobQueues, OutboxModule, OutboxRelay, QueueModule, Schedules } from '#queue';
import { TreeModule } from '#storage';
import { DeliveryMetrics } from './metrics/delivery-metrics';
import { DELIVERY_SENDER } from './partner-ports';
import { DeliveryProcessor } from './processors/delivery.processor';
import { DiscoveryProcessor } from './processors/discovery.processor';
import { InvitationsProcessor } from './processors/invitations.processor';
import { SchedulesProcessor } from './processors/schedules.processor';
import { RECONCILIATION } from './reconciliation/reconciliation';
import { ReceivedShareWatch } from './reconciliation/received-share-watch';
import { housekeeping } from './schedules/housekeeping';
import { partnerTrust } from './schedules/partner-trust';
import { shareWatching } from './schedules/share-watching';
import { TrustedHandshakes } from './trust/trusted-handshakes';
import { WorkerLifecycle } from './worker-lifecycle';

const DELIVERY = [
  InvitationAcceptanceRepository,
  InvitationRepository,
  OutboxDispatchRepository,
  InboxRepository,
  ShareWatchRepository,
  DeliveryFiguresRepository,
  DeliveryMetrics,
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
    inject: [DeliveryRepository, DELIVERY_SENDER, OutboxRelay, DeliveryMetrics],
    useFactory: (
      store: DeliveryRepository,
      sender: DeliverySender,
      relay: OutboxRelay,
      metrics: DeliveryMetrics,
    ) =>
      new DeliverMessage(store, sender, (message, outcome) => {
        metrics.settled(message, outcome);
        relay.wake();
      }),
  },
  {
    provide: Schedules,
    inject: [
      InboxRepository,
      OutboxRepository,
      ShareWatchRepository,
      ReceivedShareWatch,
      TrustedHandshakes,
      InvitationRepository,
      InvitationAcceptanceRepository,
      JobQueues,
      LOGGER,
    ],
    useFactory: (
      inbox: InboxRepository,
      outbox: OutboxRepository,
      looks: ShareWatchRepository,
      watch: ReceivedShareWatch,
      handshakes: TrustedHandshakes,
      invitations: InvitationRepository,
      acceptances: InvitationAcceptanceRepository,
      queues: JobQueues,
      logger: Logger,
    ) =>
      new Schedules(
        [
          ...housekeeping(inbox, outbox, looks),
          shareWatching(watch),
          ...partnerTrust(handshakes, invitations, acceptances),
        ],
        queues,
        logger,
      ),
  },
];

/** Delivers what stands in the outbox, discovers partners, looks after received shares, and does scheduled work. */
@Module({})
export class FederationWorkerModule {
  /** @param partners exports DELIVERY_SENDER, PEER_DISCOVERY, REMOTE_FILES, TellAcceptance and TrustedHandshakes */
  static with(partners: Type<unknown> | DynamicModule): DynamicModule {
    return {
      module: FederationWorkerModule,
      imports: [PersistenceModule, QueueModule, OutboxModule, TreeModule, partners],
      providers: [
        ...DELIVERY,
        ...RECONCILIATION,
        DeliveryProcessor,
        DiscoveryProcessor,
        InvitationsProcessor,
        SchedulesProcessor,
        WorkerLifecycle,
      ],
    };
  }
}
