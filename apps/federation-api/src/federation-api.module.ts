import { Module, type OnModuleInit } from '@nestjs/common';
import { OwnKeysModule } from '#federation/signatures';
import { OcsHttpModule } from '#ocs/http';
import {
  ContactRepository,
  DirectoryServiceRepository,
  GroupRepository,
  AddressCardRepository,
  HandshakeRepository,
  InboxRepository,
  InvitationRepository,
  PeerRepository,
  PersistenceModule,
  NoticePartnerRepository,
  OfferPartiesRepository,
  ReceivedShareRepository,
  SeenSignatureRepository,
  ShareChangeMessages,
  ShareRequestRepository,
} from '#persistence';
import { ErrorPresenters } from '#platform';
import { OutboxModule, QueueModule } from '#queue';
import { TreeModule } from '#storage';
import { Admission } from './admission';
import { DiscoveryController } from './discovery/discovery.controller';
import { DiscoveryDocuments } from './discovery/discovery-documents';
import { InboundAdapters } from './inbound/inbound-adapters';
import { InboundMessages } from './inbound/inbound-messages';
import { OfferingPartner } from './inbound/offering-partner';
import { StoredOurShares } from './inbound/stored-our-shares';
import { StoredPartners } from './inbound/stored-partners';
import { StoredReceivedShares } from './inbound/stored-received-shares';
import { InvitationsController } from './invitations/invitations.controller';
import { WayfController } from './invitations/wayf.controller';
import { WhereAreYouFrom } from './invitations/where-are-you-from';
import { TakeAcceptance } from './invitations/take-acceptance';
import { LegacyAnswers } from './legacy/legacy-answers';
import { LegacySharesController } from './legacy/legacy-shares.controller';
import { OcmController } from './ocm/ocm.controller';
import { TakeShareRequest } from './ocm/take-share-request';
import { OcmErrorPresenter } from './ocm/ocm-error.presenter';
import { PartnerKeySource } from './signatures/partner-key-source';
import { SenderProof } from './signatures/sender-proof';
import { ExchangeSecret } from './tokens/exchange-secret';
import { TokenController } from './tokens/token.controller';
import { AddressBookController } from './trust/address-book.controller';
import { SystemAddressBook } from './trust/system-address-book';
import { TrustedHandshake } from './trust/trusted-handshake';
import { TrustedServersController } from './trust/trusted-servers.controller';

/** Serves partners' servers: discovery, offers of shares, notices about shares. */
@Module({
  imports: [PersistenceModule, OwnKeysModule, OcsHttpModule, OutboxModule, QueueModule, TreeModule],
  controllers: [
    DiscoveryController,
    OcmController,
    InvitationsController,
    WayfController,
    TokenController,
    LegacySharesController,
    TrustedServersController,
    AddressBookController,
  ],
  providers: [
    ContactRepository,
    PeerRepository,
    GroupRepository,
    InboxRepository,
    ShareChangeMessages,
    ReceivedShareRepository,
    NoticePartnerRepository,
    OfferPartiesRepository,
    SeenSignatureRepository,
    PartnerKeySource,
    SenderProof,
    Admission,
    DiscoveryDocuments,
    LegacyAnswers,
    OfferingPartner,
    StoredPartners,
    StoredOurShares,
    StoredReceivedShares,
    InboundAdapters,
    InboundMessages,
    InvitationRepository,
    TakeAcceptance,
    DirectoryServiceRepository,
    WhereAreYouFrom,
    ShareRequestRepository,
    TakeShareRequest,
    ExchangeSecret,
    HandshakeRepository,
    SystemAddressBook,
    TrustedHandshake,
    AddressCardRepository,
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
