import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NO_CACHE } from '#ocs/http';
import { answerSeenClient, Describe, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { serverStatus } from './capability-document';

/** Answers the requests that clients and partners send first, without a sign-in. */
@Controller()
export class StatusController {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
  ) {}

  @Get('status.php')
  @Describe('Reads the state, product and version of the server.', {
    answers: { 200: 'The status, as JSON' },
  })
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { maintenance } = await this.policy.current();
    void reply
      .header('content-type', 'application/json')
      .header('access-control-allow-origin', '*')
      .header('cache-control', NO_CACHE)
      .headers(answerSeenClient(request, this.secrets))
      // Sent as bytes: to a text the framework would add a charset, which deployed servers do not send.
      .send(Buffer.from(JSON.stringify(serverStatus(maintenance))));
  }
}
