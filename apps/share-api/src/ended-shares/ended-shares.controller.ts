import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { ocsPaths, OcsFailure, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';
import { parseShareId } from '../shares/share-parameters';
import { endedShareRecord } from './ended-share-record';
import { EndedShares } from './ended-shares';

/** Shares that their recipients on other instances declined or left. The share calls no longer list them. */
@Controller(ocsPaths('apps/files_sharing/api/v1/ended_shares'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class EndedSharesController {
  constructor(private readonly shares: EndedShares) {}

  @Get(':id')
  @Describe('Reads a share that its recipient on another instance declined or left; possible for 30 days.')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    const share = await this.shares.read(identityOf(request), parseShareId(id));
    if (!share) throw new OcsFailure(404, 'share does not exist');
    return ok(endedShareRecord(share));
  }
}
