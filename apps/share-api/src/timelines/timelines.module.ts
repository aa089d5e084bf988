import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { ShareTimelineRepository } from '#persistence';
import { Timelines } from './timelines';
import { TimelinesController } from './timelines.controller';

/** Timelines of shares. */
@Module({
  imports: [OcsHttpModule],
  controllers: [TimelinesController],
  providers: [ShareTimelineRepository, Timelines],
})
export class TimelinesModule {}
