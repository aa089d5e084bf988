import { Module } from '@nestjs/common';
import { OcsErrorPresenter, OcsHttpModule } from '#ocs/http';
import { ShareeRepository } from '#persistence';
import { QueueModule } from '#queue';
import { shareeFailure } from './sharee-failures';
import { ServerShareePorts } from './sharee-ports';
import { ShareesController } from './sharees.controller';

/** The search for recipients. */
@Module({
  imports: [OcsHttpModule, QueueModule],
  controllers: [ShareesController],
  providers: [ShareeRepository, ServerShareePorts],
})
export class ShareesModule {
  constructor(errors: OcsErrorPresenter) {
    errors.addMapping(shareeFailure);
  }
}
