import { Controller, Get, NotFoundException, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CallLimits } from '#identity';
import { JsonReply } from '../json-reply';
import { DiscoveryDocuments } from './discovery-documents';

/** Discovery answers in maintenance too: who cannot discover a server takes it for none. */
@Controller()
export class DiscoveryController {
  constructor(
    private readonly documents: DiscoveryDocuments,
    private readonly limits: CallLimits,
  ) {}

  @Get(['.well-known/ocm', 'ocm-provider'])
  async ocm(@Req() request: FastifyRequest): Promise<JsonReply> {
    await this.limits.call(request.ip);
    return new JsonReply(200, await this.documents.ocm());
  }

  /** The form with a slash is the only one that ownCloud asks for. */
  @Get('ocm-provider/*')
  async ocmFolder(@Req() request: FastifyRequest, @Param('*') rest: string): Promise<JsonReply> {
    assertIndex(rest);
    return this.ocm(request);
  }

  @Get('ocs-provider')
  async ocs(@Req() request: FastifyRequest): Promise<JsonReply> {
    await this.limits.call(request.ip);
    return new JsonReply(200, this.documents.ocs());
  }

  @Get('ocs-provider/*')
  async ocsFolder(@Req() request: FastifyRequest, @Param('*') rest: string): Promise<JsonReply> {
    assertIndex(rest);
    return this.ocs(request);
  }
}

function assertIndex(rest: string): void {
  if (rest !== '' && rest !== 'index.php') throw new NotFoundException();
}
