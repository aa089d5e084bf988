import { Controller, Get, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { EdgeReply } from '#platform';
import { LinkPages, type LinkVisit } from './link-pages';

const MAX_FORM_CHARACTERS = 4096;

/** Pages of public links, at both of their addresses. */
@Controller(['s', 'index.php/s'])
export class LinkPageController {
  constructor(private readonly pages: LinkPages) {}

  @Get(':token')
  show(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    return this.pages.show(visitOf(request, token));
  }

  @Post(':token')
  unlock(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    const form = Buffer.isBuffer(request.body) ? request.body.toString('utf8', 0, MAX_FORM_CHARACTERS) : '';
    return this.pages.unlock(visitOf(request, token), new URLSearchParams(form).get('password') ?? '');
  }

  /** The address that clients make of a link to get its file. */
  @Get(':token/download')
  download(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    return this.pages.download(visitOf(request, token));
  }
}

function visitOf(request: FastifyRequest, token: string): LinkVisit {
  return { token, query: request.query as Record<string, unknown>, address: request.ip };
}
