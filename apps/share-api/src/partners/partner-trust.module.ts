import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { PersistenceModule } from '#persistence';
import { PartnerTrustController } from './partner-trust.controller';
import { RegardedPartners } from './regarded-partners';

/** How partners are regarded, for administrators. */
@Module({
  imports: [OcsHttpModule, PersistenceModule],
  controllers: [PartnerTrustController],
  providers: [RegardedPartners],
})
export class PartnerTrustModule {}
