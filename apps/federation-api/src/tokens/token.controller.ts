import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  FederationRefused,
  parseTokenRequest,
  SecretText,
  TOKEN_REQUEST,
  tokenGranted,
  tokenRefused,
} from '#federation/protocol';
import { Describe } from '#platform';
import { Admission } from '../admission';
import { JsonReply } from '../json-reply';
import { ExchangeSecret } from './exchange-secret';

/** Exchanges secrets of shares for access tokens: the forms of OAuth with the values of Open Cloud Mesh. */
@Controller('ocm')
export class TokenController {
  constructor(
    private readonly admission: Admission,
    private readonly secrets: ExchangeSecret,
  ) {}

  @Post('token')
  @Describe('Exchanges the secret of a share for an access token.', {
    body: TOKEN_REQUEST,
    bodyType: 'application/x-www-form-urlencoded',
    answers: { 200: 'The token' },
  })
  async exchange(@Req() request: FastifyRequest): Promise<JsonReply> {
    try {
      const { status, body } = await this.grant(request);
      return new JsonReply(status, body);
    } catch (error) {
      const refused = error instanceof FederationRefused ? tokenRefused(error) : undefined;
      if (!refused) throw error;
      return new JsonReply(refused.status, refused.body);
    }
  }

  private async grant(request: FastifyRequest) {
    const read = () => {
      const asked = parseTokenRequest(textOf(request));
      // Only the secret identifies the share.
      return { ...asked, providerId: '', sharedSecret: asked.secret };
    };
    const { token, expiresInSeconds } = await this.admission.admitAboutShare(request.ip, read, (asked) =>
      this.secrets.exchange(asked, request),
    );
    return tokenGranted(new SecretText(token), expiresInSeconds);
  }
}

const textOf = ({ body }: FastifyRequest): string => (Buffer.isBuffer(body) ? body.toString('utf8') : '');
