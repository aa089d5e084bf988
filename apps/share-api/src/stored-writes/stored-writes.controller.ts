import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsGuard, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';
import { StoredWriteList } from './stored-write-list';

/** Files that the caller wrote into folders of partners, and that wait to be delivered. */
@Controller(ocsPaths('apps/drawbridge/api/v1'))
@RequireScope('files')
@UseGuards(OcsGuard)
export class StoredWritesController {
  constructor(private readonly writes: StoredWriteList) {}

  @Get('stored-writes')
  @Describe(
    'Lists up to 1000 files that the caller wrote into folders of partners and that are not delivered yet.',
  )
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok(await this.writes.of(identityOf(request).uid));
  }

  @Post('stored-writes/:id/retry')
  @Describe('Tries to deliver such a file now, unless an attempt is already running.')
  async retry(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.writes.retry(identityOf(request).uid, id);
    return ok();
  }

  @Delete('stored-writes/:id')
  @Describe(
    'Gives such a file up: it becomes a file of the caller, unless a running attempt still delivers it.',
  )
  async giveUp(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.writes.giveUp(identityOf(request).uid, id);
    return ok();
  }
}
