import { Module } from '@nestjs/common';
import { MailOutboxRepository, PersistenceModule } from '#persistence';
import { MailWorker } from './mail-worker';

/** Outgoing mail: imported by every app that queues it or sends it. */
@Module({
  imports: [PersistenceModule],
  providers: [MailOutboxRepository, MailWorker],
  exports: [MailOutboxRepository, MailWorker],
})
export class MailModule {}
