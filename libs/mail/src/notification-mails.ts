import { Inject, Injectable } from '@nestjs/common';
import { NotificationMailRepository, type DueNotification } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { MailRefused, type MailTransport } from './mail-transport';
import { notificationNotice } from './notification-notice';
import { delayAfter } from './retry-schedule';
import type { MailOrigin } from './share-notice';

/** Sends notifications about shares by mail to their recipients. */
@Injectable()
export class NotificationMails {
  private readonly logger: Logger;

  constructor(
    private readonly mails: NotificationMailRepository,
    private readonly policy: CachedPolicy,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'mail' });
  }

  /** Sends the mail that is due longest. @returns whether the next one can be tried at once */
  async sendNext(transport: MailTransport, origin: MailOrigin, leaseSeconds: number): Promise<boolean> {
    const due = await this.mails.takeNext(leaseSeconds);
    if (!due) return false;
    try {
      // If mails about shares are turned off, people read the notification after the sign-in.
      const { mailNotification } = await this.policy.current();
      if (mailNotification) await transport.send(notificationNotice(due, origin));
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      await this.afterRefusal(due, error);
      return error.isFinal;
    }
    await this.mails.end(due.id);
    return true;
  }

  private async afterRefusal({ id, attempts }: DueNotification, refusal: MailRefused): Promise<void> {
    const delaySeconds = refusal.isFinal ? undefined : delayAfter(attempts);
    this.logger.warn(
      { notification: id, attempts, delaySeconds, reason: refusal.message },
      'the mail server refused a notification',
    );
    return delaySeconds === undefined ? this.mails.end(id) : this.mails.postpone(id, delaySeconds);
  }
}
