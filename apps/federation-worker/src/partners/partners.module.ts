import { Module } from '@nestjs/common';
import { FederationClientModule } from '#federation/client';
import { PeerRepository, PersistenceModule } from '#persistence';
import { SettingsModule } from '#settings';
import { DELIVERY_SENDER, PEER_DISCOVERY } from '../partner-ports';
import { PartnerDeliverySender } from './partner-delivery-sender';
import { PeerProfiles } from './peer-profiles';

/** What reaches real partners, through the one guarded client. */
@Module({
  imports: [PersistenceModule, SettingsModule, FederationClientModule],
  providers: [
    PeerRepository,
    PeerProfiles,
    PartnerDeliverySender,
    { provide: DELIVERY_SENDER, useExisting: PartnerDeliverySender },
    { provide: PEER_DISCOVERY, useExisting: PeerProfiles },
  ],
  exports: [DELIVERY_SENDER, PEER_DISCOVERY],
})
export class PartnersModule {}
