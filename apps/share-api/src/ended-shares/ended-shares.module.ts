import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { EndedShareRepository } from '#persistence';
import { EndedShares } from './ended-shares';
import { EndedSharesController } from './ended-shares.controller';

/** Shares that their recipients on other instances ended. */
@Module({
  imports: [OcsHttpModule],
  controllers: [EndedSharesController],
  providers: [EndedShareRepository, EndedShares],
})
export class EndedSharesModule {}
