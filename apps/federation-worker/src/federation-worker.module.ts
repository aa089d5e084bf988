import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { DeliverySender } from '#federation/exchange';
import { accountEndsOn } from '#identity';
import {
  AuditRepository,
  BarredOffers,
  ChangeFeed,
  Database,
  DeliveryFiguresRepository,
  DeliveryRepository,
  DoubtedShareRepository,
  EndedShareRepository,
  ExpiringShareRepository,
  NotificationMailRepository,
  ForeignLinkRepository,
  MailLookupRepository,
  InboxRepository,
  InvitationAcceptanceRepository,
  InvitationRepository,
  OutboxDispatchRepository,
  OperationSampleRepository,
  OutboxRepository,
  PersistenceModule,
  SeenSignatureRepository,
  ShareWatchRepository,
  RestoredOffers,
  TrashExpiryRepository,
  VersionExpiryRepository,
  SigningKeyRepository,
  PushNewsRepository,
  SentShareRequestRepository,
} from '#persistence';
import { CONFIG, LOGGER, SecretBox, Tracing, type Config, type Logger } from '#platform';
import {
  DeliverMessage,
  ForeignLinks,
  InvitationAcceptances,
  JobQueues,
  MailLookups,
  OutboxModule,
  OutboxRelay,
  QueueModule,
  Schedules,
} from '#queue';
import { CachedPolicy } from '#settings';
import { TreeModule } from '#storage';
import { BackupMetrics } from './metrics/backup-metrics';
import { DeliveryJournal } from './metrics/delivery-journal';
import { DeliveryMetrics } from './metrics/delivery-metrics';
import { DirectoryMetrics } from './metrics/directory-metrics';
import { QueueMetrics } from './metrics/queue-metrics';
import { DELIVERY_SENDER } from './partner-ports';
import { DeliveryProcessor } from './processors/delivery.processor';
import { DiscoveryProcessor } from './processors/discovery.processor';
import { ForeignLinksProcessor } from './processors/foreign-links.processor';
import { InvitationsProcessor } from './processors/invitations.processor';
import { MailLookupsProcessor } from './processors/mail-lookups.processor';
import { PartnerRenamesProcessor } from './processors/partner-renames.processor';
import { SchedulesProcessor } from './processors/schedules.processor';
import { RECONCILIATION } from './reconciliation/reconciliation';
import { ReceivedShareWatch } from './reconciliation/received-share-watch';
import { directorySync } from './schedules/directory-sync';
import { unseenAccounts } from './schedules/unseen-accounts';
import { endsOfAccounts } from './schedules/ends-of-accounts';
import { foreignLinks } from './schedules/foreign-links';
import { mailLookups } from './schedules/mail-lookups';
import { housekeeping } from './schedules/housekeeping';
import { shareReminders } from './schedules/share-reminders';
import { partnerTrust } from './schedules/partner-trust';
import { operationSamples } from './schedules/operation-samples';
import { barredOffers } from './schedules/barred-offers';
import { restoredOffers } from './schedules/restored-offers';
import { shareWatching } from './schedules/share-watching';
import { DirectoryRounds } from './invitations/directory-rounds';
import { PartnerAddressBooks } from './trust/partner-address-books';
import { TrustedHandshakes } from './trust/trusted-handshakes';
import { WorkerLifecycle } from './worker-lifecycle';

const DELIVERY = [
  ForeignLinkRepository,
  InvitationAcceptanceRepository,
  InvitationRepository,
  OutboxDispatchRepository,
  InboxRepository,
  ShareWatchRepository,
  SigningKeyRepository,
  SeenSignatureRepository,
  DeliveryFiguresRepository,
  DeliveryMetrics,
  QueueMetrics,
  DirectoryMetrics,
  BackupMetrics,
  DeliveryJournal,
  {
    provide: DeliveryRepository,
    inject: [Database],
    useFactory: (database: Database) => new DeliveryRepository(database, { next: Math.random }),
  },
  {
    provide: OutboxRelay,
    inject: [OutboxDispatchRepository, JobQueues, ChangeFeed, LOGGER, Tracing],
    useFactory: (
      outbox: OutboxDispatchRepository,
      queues: JobQueues,
      feed: ChangeFeed,
      logger: Logger,
      tracing: Tracing,
    ) => new OutboxRelay(outbox, queues, feed, logger, { tracing }),
  },
  {
    provide: DeliverMessage,
    inject: [DeliveryRepository, DELIVERY_SENDER, OutboxRelay, DeliveryMetrics, DeliveryJournal],
    useFactory: (
      store: DeliveryRepository,
      sender: DeliverySender,
      relay: OutboxRelay,
      metrics: DeliveryMetrics,
      journal: DeliveryJournal,
    ) =>
      new DeliverMessage(store, sender, {
        attempt: (message, make) => journal.attempt(message, make),
        settled: (message, outcome) => {
          metrics.settled(message, outcome);
          relay.wake([message.peerId]);
        },
      }),
  },
  {
    provide: Schedules,
    inject: [
      InboxRepository,
      OutboxRepository,
      ShareWatchRepository,
      SigningKeyRepository,
      SeenSignatureRepository,
      AuditRepository,
      EndedShareRepository,
      DoubtedShareRepository,
      TrashExpiryRepository,
      VersionExpiryRepository,
      Database,
      ReceivedShareWatch,
      TrustedHandshakes,
      PartnerAddressBooks,
      DirectoryRounds,
      InvitationRepository,
      InvitationAcceptanceRepository,
      InvitationAcceptances,
      ForeignLinkRepository,
      ForeignLinks,
      MailLookups,
      SecretBox,
      CachedPolicy,
      JobQueues,
      LOGGER,
      CONFIG,
    ],
    useFactory: (
      inbox: InboxRepository,
      outbox: OutboxRepository,
      probes: ShareWatchRepository,
      signingKeys: SigningKeyRepository,
      seenSignatures: SeenSignatureRepository,
      audit: AuditRepository,
      ended: EndedShareRepository,
      doubted: DoubtedShareRepository,
      trash: TrashExpiryRepository,
      versions: VersionExpiryRepository,
      database: Database,
      watch: ReceivedShareWatch,
      handshakes: TrustedHandshakes,
      addressBooks: PartnerAddressBooks,
      directories: DirectoryRounds,
      invitations: InvitationRepository,
      acceptances: InvitationAcceptanceRepository,
      telling: InvitationAcceptances,
      linkRows: ForeignLinkRepository,
      links: ForeignLinks,
      lookups: MailLookups,
      secrets: SecretBox,
      policy: CachedPolicy,
      queues: JobQueues,
      logger: Logger,
      config: Config,
    ) =>
      new Schedules(
        [
          ...housekeeping(
            inbox,
            outbox,
            probes,
            signingKeys,
            seenSignatures,
            audit,
            ended,
            doubted,
            trash,
            versions,
            new SentShareRequestRepository(database),
            new PushNewsRepository(database),
          ),
          endsOfAccounts(accountEndsOn(database)),
          ...directorySync(database, config),
          operationSamples(new OperationSampleRepository(database)),
          ...unseenAccounts(database, config),
          restoredOffers(new RestoredOffers(database, secrets)),
          barredOffers(new BarredOffers(database), policy),
          shareWatching(watch),
          ...shareReminders(new ExpiringShareRepository(database), new NotificationMailRepository(database)),
          ...partnerTrust(handshakes, addressBooks, directories, invitations, acceptances, telling),
          ...foreignLinks(linkRows, links),
          ...mailLookups(new MailLookupRepository(database), lookups),
        ],
        queues,
        logger,
      ),
  },
];

/** Delivers messages from the outbox, discovers partners, watches received shares, and does scheduled work. */
@Module({})
export class FederationWorkerModule {
  /**
   * @param partners exports DELIVERY_SENDER, PEER_DISCOVERY, REMOTE_FILES, AcceptanceReporter, DirectoryRounds,
   * MovedPartners, PartnerAddressBooks, PeopleByMail, SavedLinks and TrustedHandshakes
   */
  static with(partners: Type<unknown> | DynamicModule): DynamicModule {
    return {
      module: FederationWorkerModule,
      imports: [PersistenceModule, QueueModule, OutboxModule, TreeModule, partners],
      providers: [
        ...DELIVERY,
        ...RECONCILIATION,
        DeliveryProcessor,
        DiscoveryProcessor,
        ForeignLinksProcessor,
        InvitationsProcessor,
        MailLookupsProcessor,
        PartnerRenamesProcessor,
        SchedulesProcessor,
        WorkerLifecycle,
      ],
    };
  }
}
