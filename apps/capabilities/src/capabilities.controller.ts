import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { ocsPaths, OcsGuard, okWithMessage, type OcsReply } from '#ocs/http';
import { RenderedCapabilities } from './rendered-capabilities';

@Controller(ocsPaths('cloud/capabilities'))
@UseGuards(OcsGuard)
export class CapabilitiesController {
  constructor(private readonly rendered: RenderedCapabilities) {}

  @Get()
  async read(@Req() request: FastifyRequest): Promise<OcsReply> {
    return okWithMessage(await this.rendered.forGroups(identityOf(request).groups));
  }
}
