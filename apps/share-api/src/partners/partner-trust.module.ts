import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { HandshakeRepository, PeerRepository, PersistenceModule } from '#persistence';
import { PartnerTrustController } from './partner-trust.controller';
import { PartnerTrustSettings } from './partner-trust-settings';

/** Trust in partners, for administrators. */
@Module({
  imports: [OcsHttpModule, PersistenceModule],
  controllers: [PartnerTrustController],
  providers: [PartnerTrustSettings, PeerRepository, HandshakeRepository],
})
export class PartnerTrustModule {}
