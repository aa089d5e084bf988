import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { languageOf } from '#pages';
import type { EdgeReply } from '#platform';
import { LinkPages } from './link-pages';
import { LinkUploads } from './link-uploads';
import type { LinkVisit } from './link-visit';

const MAX_FORM_CHARACTERS = 4096;

/** Pages of public links, at both of their addresses. */
@Controller(['s', 'index.php/s'])
export class LinkPageController {
  constructor(
    private readonly pages: LinkPages,
    private readonly uploads: LinkUploads,
  ) {}

  @Get(':token')
  show(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    return this.pages.show(visitOf(request, token));
  }

  @Post(':token')
  unlock(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    const form = Buffer.isBuffer(request.body) ? request.body.toString('utf8', 0, MAX_FORM_CHARACTERS) : '';
    return this.pages.unlock(visitOf(request, token), new URLSearchParams(form).get('password') ?? '');
  }

  /** Stores the files of a form in the link's folder, and shows the page again with their names; the form for the password, if it is needed again. */
  @Post(':token/files')
  async upload(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    const visit = visitOf(request, token);
    const uploaded = await this.uploads.take(visit, request);
    return uploaded
      ? this.pages.showUploaded(visit, uploaded)
      : this.pages.passwordPage(visit, 'notUploaded');
  }

  /** The address at which clients download the content of a link: a file, or a folder as an archive. */
  @Get(':token/download')
  download(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    return this.pages.download(visitOf(request, token), request);
  }

  /** The same for the form of the page, which sends the names of the chosen entries in its body. */
  @Post(':token/download')
  @HttpCode(200)
  downloadChosen(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    return this.pages.download(visitOf(request, token), request);
  }
}

function visitOf(request: FastifyRequest, token: string): LinkVisit {
  const { headers, ip } = request;
  const query = request.query as Record<string, unknown>;
  return { token, query, address: ip, cookies: headers.cookie, language: languageOf(headers) };
}
