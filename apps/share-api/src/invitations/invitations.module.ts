import { Module } from '@nestjs/common';
import { MailModule } from '#mail';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import { ContactRepository, InvitationRepository, PersistenceModule } from '#persistence';
import { QueueModule } from '#queue';
import { AuditModule } from '../audit/audit.module';
import { AcceptInvitation } from './accept-invitation';
import { invitationFailure } from './invitation-failures';
import { InvitationsController } from './invitations.controller';
import { UserContacts } from './user-contacts';
import { UserInvitations } from './user-invitations';

/** Invitations and contacts of users. */
@Module({
  imports: [AuditModule, OcsHttpModule, PersistenceModule, QueueModule, MailModule],
  controllers: [InvitationsController],
  providers: [ContactRepository, InvitationRepository, AcceptInvitation, UserContacts, UserInvitations],
})
export class InvitationsModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping(invitationFailure);
  }
}
