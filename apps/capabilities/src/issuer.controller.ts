import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { TrustedIssuer, IssuerFailure, type Issuer } from '#identity';
import { NO_CACHE } from '#ocs/http';
import { Describe } from '#platform';

const ISSUER_RELATION = 'http://openid.net/specs/connect/1.0/issuer';
const MAX_RESOURCE_CHARACTERS = 2048;
const RETRY_SECONDS = 5;

/** Tells clients where they get tokens: they know only this server, and no issuer. */
@Controller('.well-known')
export class IssuerController {
  constructor(private readonly trusted: TrustedIssuer) {}

  @Get('openid-configuration')
  @Describe('The document of the issuer of OpenID Connect, where one is configured.', {
    answers: { 200: 'The document, as JSON', 404: 'No issuer is configured' },
  })
  async describeIssuer(@Res() reply: FastifyReply): Promise<void> {
    const { issuer } = this.trusted;
    if (!issuer) return notThere(reply);
    try {
      answer(reply, 'application/json', await issuer.describe());
    } catch (error) {
      if (!(error instanceof IssuerFailure)) throw error;
      void reply.code(503).header('retry-after', String(RETRY_SECONDS)).send({ error: 'unavailable' });
    }
  }

  @Get('webfinger')
  @Describe('The issuer of OpenID Connect for an account or this server, by WebFinger.', {
    answers: { 200: 'The links, as JSON', 400: 'No resource is named', 404: 'No issuer is configured' },
  })
  find(@Query('resource') resource: unknown, @Query('rel') rel: unknown, @Res() reply: FastifyReply): void {
    const { issuer } = this.trusted;
    if (!issuer) return notThere(reply);
    if (typeof resource !== 'string' || resource === '' || resource.length > MAX_RESOURCE_CHARACTERS)
      return void reply.code(400).send({ error: 'resource' });
    answer(reply, 'application/jrd+json', { subject: resource, links: linksTo(issuer, rel) });
  }
}

/** The same answer for every resource, so that it reveals no accounts. */
const linksTo = (issuer: Issuer, rel: unknown) =>
  rel === undefined || [rel].flat().includes(ISSUER_RELATION)
    ? [{ rel: ISSUER_RELATION, href: issuer.name }]
    : [];

const notThere = (reply: FastifyReply): void => void reply.code(404).send({ error: 'not-found' });

function answer(reply: FastifyReply, type: string, content: object): void {
  void reply
    .header('content-type', type)
    .header('access-control-allow-origin', '*')
    .header('cache-control', NO_CACHE)
    .send(Buffer.from(JSON.stringify(content)));
}
