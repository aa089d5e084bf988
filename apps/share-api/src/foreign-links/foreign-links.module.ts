import { Module } from '@nestjs/common';
import { OcsErrorPresenter, OcsFailure, OcsHttpModule } from '#ocs/http';
import { QueueModule } from '#queue';
import { AuditModule } from '../audit/audit.module';
import { RemoteSharesModule } from '../remote-shares/remote-shares.module';
import { ForeignLinksController } from './foreign-links.controller';
import { LinkRefused } from './link-refused';
import { SaveLinkHere } from './save-link-here';

/** Public links of other servers that users save here. */
@Module({
  imports: [AuditModule, OcsHttpModule, QueueModule, RemoteSharesModule],
  controllers: [ForeignLinksController],
  providers: [SaveLinkHere],
})
export class ForeignLinksModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping((error) =>
      error instanceof LinkRefused ? new OcsFailure(error.code, error.message) : undefined,
    );
  }
}
