import { Module } from '@nestjs/common';
import { FederationClientModule, PartnerFiles, PeerProfiles } from '#federation/client';
import { IdentityModule } from '#identity';
import {
  ContactRepository,
  Database,
  ForeignLinkRepository,
  HandshakeRepository,
  InvitationAcceptanceRepository,
  PartnerGateRepository,
  PeerRepository,
  PersistenceModule,
  ReceivedShareRepository,
} from '#persistence';
import { SettingsModule } from '#settings';
import { AwaitedOffers, GatedFiles, REMOTE_FILES, TreeModule } from '#storage';
import { AskForLink } from '../links/ask-for-link';
import { MountLink } from '../links/mount-link';
import { TellAcceptance } from '../invitations/tell-acceptance';
import { TrustedHandshakes } from '../trust/trusted-handshakes';
import { DELIVERY_SENDER, PEER_DISCOVERY } from '../partner-ports';
import { PartnerDeliverySender } from './partner-delivery-sender';
import { TokenDemands } from './token-demands';

/** Providers that reach real partners, through the one guarded client. */
@Module({
  imports: [PersistenceModule, SettingsModule, IdentityModule, FederationClientModule, TreeModule],
  providers: [
    ContactRepository,
    InvitationAcceptanceRepository,
    ForeignLinkRepository,
    AwaitedOffers,
    AskForLink,
    MountLink,
    PeerRepository,
    ReceivedShareRepository,
    HandshakeRepository,
    TellAcceptance,
    TrustedHandshakes,
    TokenDemands,
    PartnerDeliverySender,
    { provide: DELIVERY_SENDER, useExisting: PartnerDeliverySender },
    { provide: PEER_DISCOVERY, useExisting: PeerProfiles },
    {
      provide: REMOTE_FILES,
      inject: [PartnerFiles, Database],
      useFactory: (files: PartnerFiles, database: Database) =>
        new GatedFiles(files, new PartnerGateRepository(database)),
    },
  ],
  exports: [DELIVERY_SENDER, PEER_DISCOVERY, REMOTE_FILES, TellAcceptance, AskForLink, TrustedHandshakes],
})
export class PartnersModule {}
