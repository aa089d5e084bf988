import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';
import { parseShareId } from '../shares/share-parameters';
import { Timelines } from './timelines';
import { timelineRecord } from './timeline-record';

/** The lives of shares, also of those that ended. */
@Controller(ocsPaths('apps/files_sharing/api/v1/share_timelines'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class TimelinesController {
  constructor(private readonly timelines: Timelines) {}

  @Get(':id')
  @Describe(
    'Reads what happened to a share, here and at its partner, in order; for its owner and initiator, until 30 days after its end.',
  )
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const timeline = await this.timelines.read(identityOf(request), parseShareId(id));
    if (!timeline) throw new OcsFailure(404, 'share does not exist');
    return ok(timeline.map(timelineRecord));
  }
}
