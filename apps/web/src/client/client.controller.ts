import { Controller, Get, NotFoundException, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BrowserSessions } from '#identity';
import { RedirectReply } from '#pages';
import { Describe, PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { clientDocument, clientFile } from './client-files';
import { ClientDocumentReply, ClientFileReply, ViewerReply } from './client-reply';

/** The pages of signed-in people: one document for all their addresses, and its files. */
@Controller()
export class ClientController {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get('/')
  @Describe('Leads to the pages of the signed-in person, or to the sign-in.')
  async start(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    const isSignedIn = (await this.sessions.find(request.headers.cookie)) !== undefined;
    return new RedirectReply(`${this.publicAddress.path}${isSignedIn ? '/web/files' : '/login'}`);
  }

  @Get('web/assets/:name')
  @Describe('A script, style sheet or picture of the pages.')
  file(@Req() { headers }: FastifyRequest, @Param('name') name: string): EdgeReply {
    const file = clientFile(name);
    if (!file) throw new NotFoundException();
    return new ClientFileReply(file, String(headers['accept-encoding'] ?? ''));
  }

  @Get('web/viewer')
  @Describe('The frame in which pages show contents. It has no origin, and gets the content from the page.')
  viewer(): EdgeReply {
    return new ViewerReply(clientDocument('viewer', this.publicAddress.path));
  }

  @Get(['web', 'web/*'])
  @Describe('A page of the signed-in person; without a session, it leads to the sign-in.')
  async page(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    if (await this.sessions.find(request.headers.cookie))
      return new ClientDocumentReply(clientDocument('index', this.publicAddress.path));
    return new RedirectReply(
      `${this.publicAddress.path}/login?next=${encodeURIComponent(this.publicAddress.path + request.url)}`,
    );
  }
}
