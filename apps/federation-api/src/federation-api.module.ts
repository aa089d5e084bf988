import { Module, type OnModuleInit } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import {
  ContactRepository,
  HandshakeRepository,
  InboxRepository,
  InvitationRepository,
  PeerRepository,
  PersistenceModule,
  ReceivedShareRepository,
  ShareChangeMessages,
} from '#persistence';
import { ErrorPresenters } from '#platform';
import { OutboxModule, QueueModule } from '#queue';
import { TreeModule } from '#storage';
import { Admission } from './admission';
import { DiscoveryController } from './discovery/discovery.controller';
import { DiscoveryDocuments } from './discovery/discovery-documents';
import { InvitationsController } from './invitations/invitations.controller';
import { TakeAcceptance } from './invitations/take-acceptance';
import { LegacyAnswers } from './legacy/legacy-answers';
import { LegacySharesController } from './legacy/legacy-shares.controller';
import { BoundShares } from './notices/bound-shares';
import { GrantReshare } from './notices/grant-reshare';
import { NoticesOfOurs } from './notices/notices-of-ours';
import { NoticesOfReceived } from './notices/notices-of-received';
import { TakeNotice } from './notices/take-notice';
import { OcmController } from './ocm/ocm.controller';
import { OcmErrorPresenter } from './ocm/ocm-error.presenter';
import { AcceptUnasked } from './offers/accept-unasked';
import { OfferAdmission } from './offers/offer-admission';
import { OfferingPartner } from './offers/offering-partner';
import { TakeOffer } from './offers/take-offer';
import { AddressBookController } from './trust/address-book.controller';
import { SystemAddressBook } from './trust/system-address-book';
import { TrustedHandshake } from './trust/trusted-handshake';
import { TrustedServersController } from './trust/trusted-servers.controller';

/** What servers of partners call: discovery, offers of shares, notices about shares. */
@Module({
  imports: [PersistenceModule, OcsHttpModule, OutboxModule, QueueModule, TreeModule],
  controllers: [
    DiscoveryController,
    OcmController,
    InvitationsController,
    LegacySharesController,
    TrustedServersController,
    AddressBookController,
  ],
  providers: [
    ContactRepository,
    PeerRepository,
    InboxRepository,
    ShareChangeMessages,
    ReceivedShareRepository,
    Admission,
    DiscoveryDocuments,
    LegacyAnswers,
    BoundShares,
    GrantReshare,
    NoticesOfOurs,
    NoticesOfReceived,
    TakeNotice,
    AcceptUnasked,
    OfferAdmission,
    OfferingPartner,
    TakeOffer,
    InvitationRepository,
    TakeAcceptance,
    HandshakeRepository,
    SystemAddressBook,
    TrustedHandshake,
    OcmErrorPresenter,
  ],
})
export class FederationApiModule implements OnModuleInit {
  constructor(
    private readonly presenters: ErrorPresenters,
    private readonly ocmErrors: OcmErrorPresenter,
  ) {}

  onModuleInit(): void {
    this.presenters.add(this.ocmErrors);
  }
}
