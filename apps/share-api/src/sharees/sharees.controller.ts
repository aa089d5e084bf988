import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf } from '#identity';
import { OcsInput, ocsPaths, OcsGuard, okWithMessage, type OcsReply } from '#ocs/http';
import type { InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { searchSharees } from '#sharing';
import { shareesData } from './sharee-entries';
import { SEARCH_SHAREES, searchCommandOf } from './sharee-parameters';
import { ServerShareePorts } from './sharee-ports';

/** Possible recipients of the caller's shares. */
@Controller(ocsPaths('apps/files_sharing/api/v1/sharees'))
@RequireScope('sharing')
@UseGuards(OcsGuard)
export class ShareesController {
  constructor(private readonly ports: ServerShareePorts) {}

  @Get()
  @Describe('Finds people, groups and accounts of other servers to share with.')
  async search(
    @Req() request: FastifyRequest,
    @OcsInput(SEARCH_SHAREES) input: InputOf<typeof SEARCH_SHAREES>,
  ): Promise<OcsReply> {
    const found = await searchSharees(this.ports, identityOf(request), searchCommandOf(input));
    return okWithMessage(shareesData(found));
  }
}
