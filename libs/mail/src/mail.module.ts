import { Module } from '@nestjs/common';
import { InvitationMailRepository, MailOutboxRepository, PersistenceModule } from '#persistence';
import { InvitationMails } from './invitation-mails';
import { MailWorker } from './mail-worker';

/** Outgoing mail: imported by every app that queues it or sends it. */
@Module({
  imports: [PersistenceModule],
  providers: [InvitationMailRepository, InvitationMails, MailOutboxRepository, MailWorker],
  exports: [InvitationMailRepository, MailOutboxRepository, MailWorker],
})
export class MailModule {}
