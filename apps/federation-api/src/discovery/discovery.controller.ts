import { Controller, Get, NotFoundException, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readsOlderDiscovery } from '#federation/protocol';
import { CallLimits } from '#identity';
import { Describe } from '#platform';
import { JsonReply } from '../json-reply';
import { DiscoveryDocuments } from './discovery-documents';

/** Partners cache keys for an hour; a new key is published two hours before it signs. */
const KEYS_ARE_KEPT = { 'cache-control': 'public, max-age=300' };

/** Some user agents get another document. */
const BY_READER = { vary: 'User-Agent' };

const DOCUMENT = { answers: { 200: 'The document' } };

/** Serves discovery, even in maintenance: partners take a server without discovery for none. */
@Controller()
export class DiscoveryController {
  constructor(
    private readonly documents: DiscoveryDocuments,
    private readonly limits: CallLimits,
  ) {}

  @Get('.well-known/ocm')
  @Describe('The discovery document of Open Cloud Mesh.', DOCUMENT)
  async ocm(@Req() request: FastifyRequest): Promise<JsonReply> {
    if (readsOlderDiscovery(request.headers['user-agent'])) return this.olderOcm(request, BY_READER);
    await this.limits.call(request.ip);
    return new JsonReply(200, await this.documents.ocm(), BY_READER);
  }

  @Get('ocm-provider')
  @Describe('The discovery document of Open Cloud Mesh, in the form for older servers.', DOCUMENT)
  async ocmProvider(@Req() request: FastifyRequest): Promise<JsonReply> {
    return this.olderOcm(request);
  }

  /** ownCloud requests only the form with a slash. */
  @Get('ocm-provider/*')
  @Describe('The same document, at the address that ownCloud requests.', DOCUMENT)
  async ocmFolder(@Req() request: FastifyRequest, @Param('*') rest: string): Promise<JsonReply> {
    assertIndex(rest);
    return this.olderOcm(request);
  }

  private async olderOcm(
    request: FastifyRequest,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonReply> {
    await this.limits.call(request.ip);
    return new JsonReply(200, await this.documents.olderOcm(), headers);
  }

  @Get('.well-known/jwks.json')
  @Describe('The public keys for the signatures of this server.', DOCUMENT)
  async jwks(@Req() request: FastifyRequest): Promise<JsonReply> {
    await this.limits.call(request.ip);
    return new JsonReply(200, await this.documents.jwks(), KEYS_ARE_KEPT);
  }

  @Get('ocs-provider')
  @Describe('The discovery document of the OCS services of this server.', DOCUMENT)
  async ocs(@Req() request: FastifyRequest): Promise<JsonReply> {
    await this.limits.call(request.ip);
    return new JsonReply(200, this.documents.ocs());
  }

  @Get('ocs-provider/*')
  @Describe('The same document, at the address that older servers request.', DOCUMENT)
  async ocsFolder(@Req() request: FastifyRequest, @Param('*') rest: string): Promise<JsonReply> {
    assertIndex(rest);
    return this.ocs(request);
  }
}

function assertIndex(rest: string): void {
  if (rest !== '' && rest !== 'index.php') throw new NotFoundException();
}
