import { Inject, Injectable } from '@nestjs/common';
import { InvitationMailRepository, type DueInvitation } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { CachedPolicy } from '#settings';
import { phrase } from '#sharing';
import { invitationNotice } from './invitation-notice';
import { MailRefused, type MailTransport } from './mail-transport';
import { delayAfter } from './retry-schedule';
import type { MailOrigin } from './share-notice';

/** Sends invitations by mail. */
@Injectable()
export class InvitationMails {
  private readonly logger: Logger;

  constructor(
    private readonly mails: InvitationMailRepository,
    private readonly policy: CachedPolicy,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'mail' });
  }

  /** Sends the mail that is due longest. @returns whether the next one can be tried at once */
  async sendNext(transport: MailTransport, origin: MailOrigin, leaseSeconds: number): Promise<boolean> {
    const invitation = await this.mails.takeNext(leaseSeconds);
    if (!invitation) return false;
    const { id, attempts } = invitation;
    try {
      // Mail to people at other servers may have been turned off in the meantime.
      const { links } = await this.policy.current();
      if (links.mayMail) await transport.send(invitationNotice(invitation, origin));
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      await this.afterRefusal(invitation, error);
      return error.isFinal;
    }
    await this.mails.end(id);
    this.logger.info({ invitation: id, attempts }, 'invitation sent');
    return true;
  }

  private async afterRefusal({ id, attempts, address }: DueInvitation, refusal: MailRefused): Promise<void> {
    const delaySeconds = refusal.isFinal ? undefined : delayAfter(attempts);
    this.logger.warn(
      { invitation: id, attempts, delaySeconds, reason: refusal.message },
      'the mail server refused an invitation',
    );
    if (delaySeconds !== undefined) return this.mails.postpone(id, delaySeconds);
    await this.mails.giveUp(id, phrase('invitationUndelivered', { address }), refusal.message);
  }
}
