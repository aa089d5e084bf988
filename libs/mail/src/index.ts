export { MailModule } from './mail.module';
export { MailWorker } from './mail-worker';
