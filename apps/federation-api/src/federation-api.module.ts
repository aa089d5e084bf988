import { Module, type OnModuleInit } from '@nestjs/common';
import { OwnKeysModule } from '#federation/own-keys';
import { OcsHttpModule } from '#ocs/http';
import {
  ContactRepository,
  HandshakeRepository,
  InboxRepository,
  InvitationRepository,
  PeerRepository,
  PersistenceModule,
  NoticePartnerRepository,
  PartnerKeysRepository,
  ReceivedShareRepository,
  SeenSignatureRepository,
  ShareChangeMessages,
} from '#persistence';
import { ErrorPresenters } from '#platform';
import { OutboxModule, QueueModule } from '#queue';
import { AwaitedOffers, TreeModule, AutoAcceptance } from '#storage';
import { Admission } from './admission';
import { DiscoveryController } from './discovery/discovery.controller';
import { DiscoveryDocuments } from './discovery/discovery-documents';
import { InvitationsController } from './invitations/invitations.controller';
import { TakeAcceptance } from './invitations/take-acceptance';
import { LegacyAnswers } from './legacy/legacy-answers';
import { LegacySharesController } from './legacy/legacy-shares.controller';
import { BoundShares } from './notices/bound-shares';
import { GrantReshare } from './notices/grant-reshare';
import { NoticeSenders } from './notices/notice-senders';
import { NoticesOfOurs } from './notices/notices-of-ours';
import { NoticesOfReceived } from './notices/notices-of-received';
import { TakeNotice } from './notices/take-notice';
import { OcmController } from './ocm/ocm.controller';
import { OcmErrorPresenter } from './ocm/ocm-error.presenter';
import { OfferAdmission } from './offers/offer-admission';
import { OfferingPartner } from './offers/offering-partner';
import { TakeOffer } from './offers/take-offer';
import { PartnerKeySource } from './signatures/partner-key-source';
import { SenderProof } from './signatures/sender-proof';
import { ExchangeSecret } from './tokens/exchange-secret';
import { TokenController } from './tokens/token.controller';
import { AddressBookController } from './trust/address-book.controller';
import { SystemAddressBook } from './trust/system-address-book';
import { TrustedHandshake } from './trust/trusted-handshake';
import { TrustedServersController } from './trust/trusted-servers.controller';

/** Calls of partners' servers: discovery, offers of shares, notices about shares. */
@Module({
  imports: [PersistenceModule, OwnKeysModule, OcsHttpModule, OutboxModule, QueueModule, TreeModule],
  controllers: [
    DiscoveryController,
    OcmController,
    InvitationsController,
    TokenController,
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
    NoticePartnerRepository,
    PartnerKeysRepository,
    SeenSignatureRepository,
    PartnerKeySource,
    SenderProof,
    Admission,
    DiscoveryDocuments,
    LegacyAnswers,
    BoundShares,
    GrantReshare,
    NoticeSenders,
    NoticesOfOurs,
    NoticesOfReceived,
    TakeNotice,
    AutoAcceptance,
    AwaitedOffers,
    OfferAdmission,
    OfferingPartner,
    TakeOffer,
    InvitationRepository,
    TakeAcceptance,
    ExchangeSecret,
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
