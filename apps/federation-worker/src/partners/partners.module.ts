import { Module } from '@nestjs/common';
import { FederationClientModule, PartnerFiles, PeerProfiles } from '#federation/client';
import { IdentityModule } from '#identity';
import {
  ContactRepository,
  SentShareRequestRepository,
  DirectoryServiceRepository,
  ForeignLinkRepository,
  HandshakeRepository,
  MailLookupRepository,
  InvitationAcceptanceRepository,
  PartnerAddressBookRepository,
  PartnerGateRepository,
  PartnerRenameRepository,
  PeerRepository,
  PersistenceModule,
  ReceivedShareRepository,
} from '#persistence';
import { SettingsModule } from '#settings';
import { GatedFiles, REMOTE_FILES } from '#federation/remote-files';
import { TreeModule } from '#storage';
import { AcceptanceReporter } from '../invitations/acceptance-reporter';
import { DirectoryRounds } from '../invitations/directory-rounds';
import { SavedLinks } from '../links/saved-links';
import { PeopleByMail } from '../people/people-by-mail';
import { PartnerAddressBooks } from '../trust/partner-address-books';
import { TrustedHandshakes } from '../trust/trusted-handshakes';
import { DELIVERY_SENDER, PEER_DISCOVERY } from '../partner-ports';
import { CalledPartners } from './called-partners';
import { CertificateMetrics } from '../metrics/certificate-metrics';
import { MovedPartners } from './moved-partners';
import { PartnerDeliverySender } from './partner-delivery-sender';

/** Providers that contact real partners, through the one guarded client. */
@Module({
  imports: [PersistenceModule, SettingsModule, IdentityModule, FederationClientModule, TreeModule],
  providers: [
    ContactRepository,
    SentShareRequestRepository,
    InvitationAcceptanceRepository,
    ForeignLinkRepository,
    SavedLinks,
    MailLookupRepository,
    PeopleByMail,
    CalledPartners,
    CertificateMetrics,
    PeerRepository,
    PartnerRenameRepository,
    MovedPartners,
    ReceivedShareRepository,
    HandshakeRepository,
    AcceptanceReporter,
    DirectoryRounds,
    DirectoryServiceRepository,
    TrustedHandshakes,
    PartnerAddressBooks,
    PartnerAddressBookRepository,
    PartnerDeliverySender,
    { provide: DELIVERY_SENDER, useExisting: PartnerDeliverySender },
    { provide: PEER_DISCOVERY, useExisting: PeerProfiles },
    {
      provide: REMOTE_FILES,
      inject: [PartnerFiles, PartnerGateRepository],
      useFactory: (files: PartnerFiles, gates: PartnerGateRepository) => new GatedFiles(files, gates),
    },
  ],
  exports: [
    DELIVERY_SENDER,
    PEER_DISCOVERY,
    REMOTE_FILES,
    AcceptanceReporter,
    DirectoryRounds,
    MovedPartners,
    PeopleByMail,
    SavedLinks,
    TrustedHandshakes,
    PartnerAddressBooks,
  ],
})
export class PartnersModule {}
