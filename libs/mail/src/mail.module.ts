import { Module } from '@nestjs/common';
import {
  InvitationMailRepository,
  MailOutboxRepository,
  NotificationMailRepository,
  PersistenceModule,
} from '#persistence';
import { InvitationMails } from './invitation-mails';
import { NotificationMails } from './notification-mails';
import { MailWorker } from './mail-worker';

/** Outgoing mail: imported by every app that queues it or sends it. */
@Module({
  imports: [PersistenceModule],
  providers: [
    InvitationMailRepository,
    InvitationMails,
    MailOutboxRepository,
    MailWorker,
    NotificationMailRepository,
    NotificationMails,
  ],
  exports: [InvitationMailRepository, MailOutboxRepository, MailWorker],
})
export class MailModule {}
