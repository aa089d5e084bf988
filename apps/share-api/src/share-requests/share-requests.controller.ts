import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { shareRequestRecord } from './share-request-record';
import { ShareRequestRefused } from './share-request-refused';
import { ShareRequests } from './share-requests';

const ASK = {
  contact: text('Id of the contact who is asked.'),
  share: text('Id of a file or folder at the server of the contact, or its address there.'),
};

/** Requests to contacts at other servers for shares. Each user sees and changes their own. */
@Controller(ocsPaths('apps/ocm/api/v1/share-requests'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class ShareRequestsController {
  constructor(private readonly requests: ShareRequests) {}

  @Get()
  @Describe('Lists the requests of the caller for shares of contacts, with the state of their delivery.')
  async list(@Req() request: FastifyRequest): Promise<OcsReply> {
    return ok((await this.requests.list(identityOf(request).uid)).map(shareRequestRecord));
  }

  @Post()
  @Describe('Asks a contact at another server for a share of a file or folder there.')
  async ask(
    @Req() request: FastifyRequest,
    @OcsInput(ASK) { contact = '', share = '' }: InputOf<typeof ASK>,
  ): Promise<OcsReply> {
    const contactId = numberIn(contact, 'contact-unknown');
    return ok(shareRequestRecord(await this.requests.ask(identityOf(request).uid, contactId, share)));
  }

  @Delete(':id')
  @Describe('Withdraws a request for a share.')
  async takeBack(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    await this.requests.takeBack(identityOf(request).uid, numberIn(id, 'nothing-there'));
    return ok();
  }
}

/** @throws ShareRequestRefused for an id that is no number */
function numberIn(id: string, refusal: 'contact-unknown' | 'nothing-there'): number {
  if (!/^\d{1,15}$/.test(id)) throw new ShareRequestRefused(refusal);
  return Number(id);
}
