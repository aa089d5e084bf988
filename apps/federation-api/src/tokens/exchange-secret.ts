import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FederationRefused, isClientOf, type TokenRequest } from '#federation/protocol';
import { ShareAccessTokens, type GivenAccessToken } from '#identity';
import { PartnerShareRepository } from '#persistence';
import { SecretBox } from '#platform';
import { SenderProof } from '../signatures/sender-proof';

/**
 * Exchanges the secret of a share for an access token, only for the server that has the share. The
 * use of a token decides later what it allows, and whether it is valid at that time.
 */
@Injectable()
export class ExchangeSecret {
  constructor(
    private readonly shares: PartnerShareRepository,
    private readonly proof: SenderProof,
    private readonly tokens: ShareAccessTokens,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws FederationRefused secret-wrong, signature-wrong, signature-missing, temporarily-unavailable */
  async exchange({ client, secret }: TokenRequest, request: FastifyRequest): Promise<GivenAccessToken> {
    const tokenHmac = this.secrets.lookup(secret.reveal());
    const hostKey = (await this.shares.find(tokenHmac))?.hostKey ?? null;
    if (hostKey === null || !isClientOf(client, hostKey)) throw new FederationRefused('secret-wrong');
    await this.proof.of(request, hostKey);
    return this.tokens.give(tokenHmac);
  }
}
