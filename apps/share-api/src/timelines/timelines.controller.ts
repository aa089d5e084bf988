import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { parseShareId } from '../shares/share-parameters';
import { Timelines } from './timelines';
import { activityRecord, timelineRecord } from './timeline-record';

const PAGE = 50;
const ID = /^[1-9]\d{0,14}$/;
const ACTIVITY = {
  before: text(`Id of the last event of the page before; a page has up to ${PAGE} earlier events.`),
};

/** The lives of shares, including ended ones. */
@Controller(ocsPaths('apps/files_sharing/api/v1/share_timelines'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class TimelinesController {
  constructor(private readonly timelines: Timelines) {}

  @Get()
  @Describe(
    'Lists events of the shares that the caller made, and of others’ shares of their files, the latest first.',
  )
  async activity(
    @Req() request: FastifyRequest,
    @OcsInput(ACTIVITY) { before = '' }: InputOf<typeof ACTIVITY>,
  ): Promise<OcsReply> {
    if (before !== '' && !ID.test(before)) throw new OcsFailure(400, 'before is the id of a step');
    const last = before === '' ? Number.MAX_SAFE_INTEGER : Number(before);
    return ok((await this.timelines.activity(identityOf(request).uid, last, PAGE)).map(activityRecord));
  }

  @Get(':id')
  @Describe(
    'Lists the events of a share, here and at its partner, in order; for its owner and initiator, until 30 days after its end.',
  )
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const timeline = await this.timelines.read(identityOf(request), parseShareId(id));
    if (!timeline) throw new OcsFailure(404, 'share does not exist');
    return ok(timeline.map(timelineRecord));
  }
}
