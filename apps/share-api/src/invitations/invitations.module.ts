import { Module } from '@nestjs/common';
import { MailModule } from '#mail';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import { ContactRepository, InvitationRepository, PersistenceModule } from '#persistence';
import { QueueModule } from '#queue';
import { AuditModule } from '../audit/audit.module';
import { SignedInCallGuard } from '../foreign-links/signed-in.guard';
import { AcceptInvitation } from './accept-invitation';
import { AcceptPageController } from './accept-page.controller';
import { invitationFailure } from './invitation-failures';
import { InvitationsController } from './invitations.controller';
import { UserContacts } from './user-contacts';
import { UserInvitations } from './user-invitations';

/** Invitations and contacts of users. */
@Module({
  imports: [AuditModule, OcsHttpModule, PersistenceModule, QueueModule, MailModule],
  controllers: [InvitationsController, AcceptPageController],
  providers: [
    ContactRepository,
    InvitationRepository,
    AcceptInvitation,
    UserContacts,
    UserInvitations,
    SignedInCallGuard,
  ],
})
export class InvitationsModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping(invitationFailure);
  }
}
