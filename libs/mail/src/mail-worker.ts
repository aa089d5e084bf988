import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { MailOutboxRepository, type DueNotice } from '#persistence';
import { CachedPolicy } from '#settings';
import { phrase } from '#sharing';
import {
  CONFIG,
  LOGGER,
  PRODUCT_NAME,
  PublicAddress,
  withoutOrigin,
  type Config,
  type Logger,
} from '#platform';
import { InvitationMails } from './invitation-mails';
import { NotificationMails } from './notification-mails';
import { MailRefused, SmtpTransport, type MailTransport } from './mail-transport';
import { delayAfter } from './retry-schedule';
import { shareNotice } from './share-notice';

const POLL_MS = 5000;
/** Longer than a mail that runs into every timeout. */
const LEASE_SECONDS = 120;

/**
 * Sends notices from the outbox in the background. It runs in every process that includes it and has SMTP_URL; each takes
 * notices that no other process holds. A notice can be sent twice if a process dies right after sending; then both mails have
 * the same message id.
 */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly transport: MailTransport | undefined;
  private readonly logger: Logger;
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> | undefined;
  private again = false;
  private stopped = false;

  constructor(
    private readonly outbox: MailOutboxRepository,
    private readonly invitations: InvitationMails,
    private readonly notifications: NotificationMails,
    private readonly policy: CachedPolicy,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.transport = config.SMTP_URL ? new SmtpTransport(config.SMTP_URL) : undefined;
    this.logger = logger.child({ subsystem: 'mail' });
  }

  /** Whether mail can be sent at all. */
  get isConfigured(): boolean {
    return this.transport !== undefined;
  }

  onApplicationBootstrap(): void {
    if (!this.transport) return;
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.underWay;
    this.transport?.close();
  }

  /** Reads the outbox now; callers have just added a notice. */
  wake(): void {
    const { transport } = this;
    if (!transport || this.stopped) return;
    this.again = true;
    // Runs without the origin of the request that started it, because it serves all.
    this.underWay ??= withoutOrigin(() => this.run(transport)).finally(() => (this.underWay = undefined));
  }

  private async run(transport: MailTransport): Promise<void> {
    try {
      while (this.again && !this.stopped) {
        this.again = false;
        const notice = await this.outbox.takeNext(LEASE_SECONDS);
        // If the server refuses mail in general, it is not asked again before the next run.
        if (notice && (await this.process(notice, transport))) this.again = true;
        if (await this.invitations.sendNext(transport, this.origin(), LEASE_SECONDS)) this.again = true;
        if (await this.notifications.sendNext(transport, this.origin(), LEASE_SECONDS)) this.again = true;
      }
    } catch (error) {
      this.logger.error({ err: error }, 'mails that are due could not be read or sent');
    }
  }

  /** @returns whether the next one can be tried at once */
  private async process(notice: DueNotice, transport: MailTransport): Promise<boolean> {
    const { links, mailNotification } = await this.policy.current();
    // Notices that were turned off in the meantime are not sent.
    if (!(notice.shareToken === null ? mailNotification : links.mayMail)) {
      await this.outbox.drop(notice.id);
      return true;
    }
    try {
      await transport.send(shareNotice(notice, this.origin()));
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      await this.afterRefusal(notice, error);
      return error.isFinal;
    }
    await this.outbox.sent(notice.id);
    this.logger.info({ notice: notice.id, attempts: notice.attempts }, 'a mail was sent');
    return true;
  }

  private async afterRefusal(notice: DueNotice, refusal: MailRefused): Promise<void> {
    const delaySeconds = refusal.isFinal ? undefined : delayAfter(notice.attempts);
    const { id, attempts, address, nodeName } = notice;
    this.logger.warn(
      { notice: id, attempts, delaySeconds, reason: refusal.message },
      'the mail server refused a mail',
    );
    if (delaySeconds !== undefined) return this.outbox.postpone(id, delaySeconds, refusal.message);
    const subject = phrase('mailUndelivered', { address, name: nodeName });
    await this.outbox.giveUp(id, subject, refusal.message);
  }

  private origin() {
    const publicUrl = this.address.url;
    const from = this.config.MAIL_FROM ?? `sharing-noreply@${new URL(publicUrl).hostname}`;
    return { publicUrl, from, productName: PRODUCT_NAME };
  }
}
