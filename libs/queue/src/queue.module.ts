import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  ForeignLinkRepository,
  MailLookupRepository,
  InvitationAcceptanceRepository,
  OutboxRepository,
  PartnerRenameRepository,
  PeerRepository,
  PersistenceModule,
} from '#persistence';
import { CONFIG, LOGGER, type Config, type Logger } from '#platform';
import { FirstProbes } from './first-probes';
import { ForeignLinks } from './foreign-links';
import { InvitationAcceptances } from './invitation-acceptances';
import { JobQueues } from './jobs/job-queues';
import { queueBackendOf } from './jobs/queue-backend';
import { KeyInquiries } from './key-inquiries';
import { MailLookups } from './mail-lookups';
import { PartnerRenames } from './partner-renames';
import { PeerInquiries } from './peer-inquiries';
import { Verdicts } from './verdicts';

/** Providers for apps that write messages to partners, and wait for answers and probes. They need only the database. */
@Module({
  imports: [PersistenceModule],
  providers: [OutboxRepository, Verdicts, FirstProbes],
  exports: [OutboxRepository, Verdicts, FirstProbes],
})
export class OutboxModule {}

@Injectable()
class QueueLifecycle implements OnApplicationShutdown {
  constructor(@Inject(JobQueues) private readonly queues: JobQueues) {}

  async onApplicationShutdown(): Promise<void> {
    await this.queues.close();
  }
}

/** Providers for apps that add jobs: the worker, and apps that send it requests. */
@Module({
  imports: [PersistenceModule],
  providers: [
    {
      provide: JobQueues,
      inject: [CONFIG, LOGGER],
      useFactory: (config: Config, logger: Logger) =>
        new JobQueues(queueBackendOf(config), logger.child({ subsystem: 'queue' })),
    },
    QueueLifecycle,
    PeerRepository,
    PeerInquiries,
    KeyInquiries,
    InvitationAcceptanceRepository,
    InvitationAcceptances,
    ForeignLinkRepository,
    ForeignLinks,
    MailLookupRepository,
    MailLookups,
    PartnerRenameRepository,
    PartnerRenames,
  ],
  exports: [
    JobQueues,
    PeerRepository,
    PeerInquiries,
    KeyInquiries,
    InvitationAcceptances,
    ForeignLinks,
    MailLookups,
    PartnerRenames,
  ],
})
export class QueueModule {}
