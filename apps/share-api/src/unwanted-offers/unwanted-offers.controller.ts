import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { parseShareId } from '../shares/share-parameters';
import { UnwantedOffers } from './unwanted-offers';

const BLOCK = {
  who: needed(text('A federated cloud id, or for everybody of a server the part of the id after the @.')),
};
const REPORT = {
  share: needed(text('Id of the share of another server.')),
  reason: text('Text for the operators, up to 1000 characters.'),
};

/** Unwanted offers of other servers. */
@Controller(ocsPaths('apps/drawbridge/api/v1'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class UnwantedOffersController {
  constructor(private readonly unwanted: UnwantedOffers) {}

  @Get('offer-blocks')
  @Describe('Lists people and servers whose offers the caller blocks.')
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok(await this.unwanted.list(identityOf(request).uid));
  }

  @Post('offer-blocks')
  @Describe('Blocks offers of a person of another server, or of everybody there.')
  async block(
    @Req() request: FastifyRequest,
    @OcsInput(BLOCK) { who = '' }: InputOf<typeof BLOCK>,
  ): Promise<OcsReply> {
    return ok(await this.unwanted.block(identityOf(request).uid, who));
  }

  @Delete('offer-blocks/:id')
  @Describe('Ends the block of a person or server.')
  async unblock(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.unwanted.unblock(identityOf(request).uid, parseShareId(id));
    return ok();
  }

  @Post('offer-reports')
  @Describe('Reports a share that another server offered to the operators.')
  async report(
    @Req() request: FastifyRequest,
    @OcsInput(REPORT) { share = '', reason = '' }: InputOf<typeof REPORT>,
  ): Promise<OcsReply> {
    await this.unwanted.report(identityOf(request).uid, parseShareId(share), reason);
    return ok();
  }
}
