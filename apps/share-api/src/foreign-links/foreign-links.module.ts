import { Module, type OnModuleInit } from '@nestjs/common';
import { OcsErrorPresenter, OcsFailure, OcsHttpModule } from '#ocs/http';
import { ErrorPresenters } from '#platform';
import { QueueModule } from '#queue';
import { LinkRefused } from '#sharing';
import { AuditModule } from '../audit/audit.module';
import { RemoteSharesModule } from '../remote-shares/remote-shares.module';
import { ClientCallErrors } from './client-call-errors';
import { AskForShareController, ExternalSharesController } from './client-calls.controller';
import { ForeignLinksController } from './foreign-links.controller';
import { FoundServer } from './found-server';
import { SaveLinkHere } from './save-link-here';
import { SignedInCallGuard } from './signed-in.guard';

/** Public links of other servers that users save here. */
@Module({
  imports: [AuditModule, OcsHttpModule, QueueModule, RemoteSharesModule],
  controllers: [ForeignLinksController, ExternalSharesController, AskForShareController],
  providers: [SaveLinkHere, FoundServer, SignedInCallGuard, ClientCallErrors],
})
export class ForeignLinksModule implements OnModuleInit {
  constructor(
    errors: OcsErrorPresenter,
    private readonly presenters: ErrorPresenters,
    private readonly clientErrors: ClientCallErrors,
  ) {
    errors.addMapping((error) =>
      error instanceof LinkRefused ? new OcsFailure(error.code, error.message) : undefined,
    );
  }

  onModuleInit(): void {
    this.presenters.add(this.clientErrors);
  }
}
