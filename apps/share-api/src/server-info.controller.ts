import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ocsPaths, ok, type OcsReply } from '#ocs/http';
import { Describe, PRODUCT_NAME } from '#platform';

/** Public facts, which need no sign-in. */
@Controller(ocsPaths('config'))
export class ServerInfoController {
  @Get()
  @Describe('Reads the version and the host of this server.')
  config(@Req() request: FastifyRequest): OcsReply {
    const ssl = String(request.protocol === 'https');
    return ok({ version: '1.7', website: PRODUCT_NAME, host: request.host, contact: '', ssl });
  }
}
