import { Controller, Get, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  FederationRefused,
  HANDSHAKE_CALL,
  readHandshakeCall,
  type HandshakeCall,
} from '#federation/protocol';
import { ocsPaths, parametersOf } from '#ocs/http';
import { Describe, type EdgeReply } from '#platform';
import { Admission } from '../admission';
import { LegacyAnswers } from '../legacy/legacy-answers';
import { SenderProof } from '../signatures/sender-proof';
import { TrustedHandshake } from './trusted-handshake';

const FEDERATION = 'apps/federation/api/v1';

/** The handshake of trusted servers: below `apps/federation` for ownCloud and Nextcloud, below `cloud` for Nextcloud. */
@Controller()
export class TrustedServersController {
  constructor(
    private readonly admission: Admission,
    private readonly handshake: TrustedHandshake,
    private readonly answers: LegacyAnswers,
    private readonly proof: SenderProof,
  ) {}

  @Post([...ocsPaths(`${FEDERATION}/request-shared-secret`), ...ocsPaths('cloud/shared-secret')])
  @Describe('Receives the request of a trusted server to fetch a secret from it.', {
    body: HANDSHAKE_CALL,
    bodyType: 'application/x-www-form-urlencoded',
  })
  request(@Req() request: FastifyRequest): Promise<EdgeReply> {
    return this.hear(request, async () => {
      const call = callIn(request);
      // Nextcloud does not sign it; we ask the partner itself before the call has an effect.
      const prove = (host: string) => this.proof.of(request, host, 'confirmed');
      const isTaken = call && (await this.handshake.takeRequest(call, prove));
      if (!isTaken) throw new FederationRefused('partner-not-allowed');
      return undefined;
    });
  }

  @Get([...ocsPaths(`${FEDERATION}/shared-secret`), ...ocsPaths('cloud/shared-secret')])
  @Describe('Gives a trusted server the secret that it was asked to fetch.', { query: HANDSHAKE_CALL })
  secret(@Req() request: FastifyRequest): Promise<EdgeReply> {
    return this.hear(request, async () => {
      const call = callIn(request);
      const secret = call && (await this.handshake.giveSecret(call));
      if (!secret) throw new FederationRefused('secret-wrong');
      return { sharedSecret: secret.reveal() };
    });
  }

  private hear(
    request: FastifyRequest,
    take: () => Promise<Record<string, string> | undefined>,
  ): Promise<EdgeReply> {
    return this.answers.answer(request, undefined, () => this.admission.hear(request.ip, take));
  }
}

function callIn(request: FastifyRequest): HandshakeCall | undefined {
  const parameters = parametersOf(request);
  return readHandshakeCall({ url: parameters.raw('url'), token: parameters.raw('token') });
}
