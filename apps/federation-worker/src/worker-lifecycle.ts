import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ChangeFeed } from '#persistence';
import { CONFIG, LOGGER, type Config, type Logger } from '#platform';
import {
  DeliverMessage,
  ForeignLinks,
  JobQueues,
  JobWorkers,
  OutboxRelay,
  queueBackendOf,
  Schedules,
} from '#queue';
import { DeliveryProcessor } from './processors/delivery.processor';
import { DiscoveryProcessor } from './processors/discovery.processor';
import { ForeignLinksProcessor } from './processors/foreign-links.processor';
import { InvitationsProcessor } from './processors/invitations.processor';
import { MailLookupsProcessor } from './processors/mail-lookups.processor';
import { PartnerRenamesProcessor } from './processors/partner-renames.processor';
import { SchedulesProcessor } from './processors/schedules.processor';
import { ReceivedShareWatch } from './reconciliation/received-share-watch';

/**
 * Starts and stops the work with the process. The process also starts while the queue cannot be reached:
 * it keeps trying, and until then the outbox keeps everything.
 */
@Injectable()
export class WorkerLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly workers: JobWorkers;
  private readonly logger: Logger;
  private isStopping = false;

  constructor(
    private readonly queues: JobQueues,
    private readonly relay: OutboxRelay,
    private readonly schedules: Schedules,
    private readonly deliver: DeliverMessage,
    private readonly links: ForeignLinks,
    private readonly watch: ReceivedShareWatch,
    private readonly feed: ChangeFeed,
    delivery: DeliveryProcessor,
    discovery: DiscoveryProcessor,
    foreignLinks: ForeignLinksProcessor,
    invitations: InvitationsProcessor,
    mailLookups: MailLookupsProcessor,
    partnerRenames: PartnerRenamesProcessor,
    runs: SchedulesProcessor,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'worker' });
    this.workers = new JobWorkers(
      queueBackendOf(config),
      {
        ...{ delivery, discovery, 'foreign-links': foreignLinks, invitations },
        ...{ 'mail-lookups': mailLookups, 'partner-renames': partnerRenames, schedules: runs },
      },
      queues.outage,
      this.logger,
    );
  }

  onApplicationBootstrap(): void {
    this.start().catch((error: unknown) => {
      // The end of the process closes a queue that is still being opened.
      if (!this.isStopping) this.logger.error({ err: error }, 'the queue could not be opened');
    });
  }

  private async start(): Promise<void> {
    await this.queues.ready();
    // A worker that is stopped while a slow queue opens starts nothing, because the database may already be closed.
    if (this.isStopping) return;
    await this.workers.start();
    if (this.isStopping) return;
    this.relay.start();
    this.schedules.start();
    this.feed.onChange((topic, key) => {
      if (this.isStopping) return;
      // Processes of the version before name no partner: 0 is none, and the walk finds it.
      if (topic === 'look') this.watch.wake(Number(key));
      if (topic === 'foreign-link' && key === '') this.takeLinks();
    });
  }

  /** A process without a queue, such as a command, stored a link that has to be saved. */
  private takeLinks(): void {
    this.links.enterLost(0).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'links that wait to be saved could not be queued');
    });
  }

  /** Takes nothing new; running attempts may end within SHUTDOWN_GRACE, and are otherwise repeated later. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const probing = this.watch.stop();
    await Promise.all([this.relay.stop(), this.schedules.stop()]);
    const cut = setTimeout(() => this.deliver.abort(), this.config.SHUTDOWN_GRACE);
    try {
      await Promise.all([probing, this.workers.drain()]);
    } finally {
      clearTimeout(cut);
    }
  }
}
