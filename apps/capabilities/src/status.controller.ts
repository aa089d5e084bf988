import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { NO_CACHE } from '#ocs/http';
import { Describe } from '#platform';
import { CachedPolicy } from '#settings';
import { serverStatus } from './capability-document';

/** What clients and partners ask before anything else, without signing in. */
@Controller()
export class StatusController {
  constructor(private readonly policy: CachedPolicy) {}

  @Get('status.php')
  @Describe('Says whether the server is there, and what it is.', { answers: { 200: 'The status, as JSON' } })
  async read(@Res() reply: FastifyReply): Promise<void> {
    const { maintenance } = await this.policy.current();
    void reply
      .header('content-type', 'application/json')
      .header('access-control-allow-origin', '*')
      .header('cache-control', NO_CACHE)
      // As bytes: to a text the framework would add a charset, which deployed servers do not.
      .send(Buffer.from(JSON.stringify(serverStatus(maintenance))));
  }
}
