import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { ocsPaths, OcsGuard, okWithMessage, parametersOf, type OcsReply } from '#ocs/http';
import { searchSharees } from '#sharing';
import { shareesData } from './sharee-entries';
import { searchCommandOf } from './sharee-parameters';
import { ServerShareePorts } from './sharee-ports';

/** Whom the caller could share with. */
@Controller(ocsPaths('apps/files_sharing/api/v1/sharees'))
@UseGuards(OcsGuard)
export class ShareesController {
  constructor(private readonly ports: ServerShareePorts) {}

  @Get()
  async search(@Req() request: FastifyRequest): Promise<OcsReply> {
    const command = searchCommandOf(parametersOf(request));
    return okWithMessage(shareesData(await searchSharees(this.ports, identityOf(request), command)));
  }
}
