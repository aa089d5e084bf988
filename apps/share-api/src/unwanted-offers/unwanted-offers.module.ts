import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { OfferBlockRepository, OfferReportRepository, PersistenceModule } from '#persistence';
import { UnwantedOffers } from './unwanted-offers';
import { UnwantedOffersController } from './unwanted-offers.controller';

/** Unwanted offers of other servers. */
@Module({
  imports: [OcsHttpModule, PersistenceModule],
  controllers: [UnwantedOffersController],
  providers: [OfferBlockRepository, OfferReportRepository, UnwantedOffers],
})
export class UnwantedOffersModule {}
