import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { ocsPaths, OcsGuard, type PreparedReply } from '#ocs/http';
import { Describe } from '#platform';
import { RenderedCapabilities } from './rendered-capabilities';

@Controller(ocsPaths('cloud/capabilities'))
@RequireScope('account')
@UseGuards(OcsGuard)
export class CapabilitiesController {
  constructor(private readonly rendered: RenderedCapabilities) {}

  @Get()
  @Describe('Reads the capabilities of this server for the caller.')
  read(@Req() request: FastifyRequest): PreparedReply | Promise<PreparedReply> {
    return this.rendered.forGroups(identityOf(request).groups);
  }
}
