import { Module } from '@nestjs/common';
import { MailModule } from '#mail';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import { ShareMailController } from './share-mail.controller';
import { shareMailFailure } from './share-mail-failures';
import { ShareMail } from './share-mail';

/** Mails about shares. */
@Module({
  imports: [OcsHttpModule, MailModule],
  controllers: [ShareMailController],
  providers: [ShareMail],
})
export class ShareMailModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping(shareMailFailure);
  }
}
