import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { ocsPaths, OcsGuard, okWithMessage, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';

/** The caller's own account. */
@Controller(ocsPaths('cloud/user'))
@UseGuards(OcsGuard)
export class CurrentUserController {
  @Get()
  @Describe('Says who the caller is.')
  read(@Req() request: FastifyRequest): OcsReply {
    const { uid, displayName, email, language } = identityOf(request);
    return okWithMessage({ id: uid, 'display-name': displayName, email, language });
  }
}
