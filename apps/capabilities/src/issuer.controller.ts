import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { TrustedIssuer, IssuerFailure } from '#identity';
import { Describe } from '#platform';
import { answerPublicly, notThere } from './public-answer';

const RETRY_SECONDS = 5;

/** Tells clients where they get tokens: they know only this server, and no issuer. */
@Controller('.well-known')
export class IssuerController {
  constructor(private readonly trusted: TrustedIssuer) {}

  @Get('openid-configuration')
  @Describe('The discovery document of the OpenID Connect issuer, if one is configured.', {
    answers: { 200: 'The document, as JSON', 404: 'No issuer is configured' },
  })
  async describeIssuer(@Res() reply: FastifyReply): Promise<void> {
    const { issuer } = this.trusted;
    if (!issuer) return notThere(reply);
    try {
      answerPublicly(reply, 'application/json', await issuer.describe());
    } catch (error) {
      if (!(error instanceof IssuerFailure)) throw error;
      void reply.code(503).header('retry-after', String(RETRY_SECONDS)).send({ error: 'unavailable' });
    }
  }
}
