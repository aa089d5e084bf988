import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readiness } from './readiness';

@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** 200 as long as the process answers at all. */
  @Get('live')
  live(@Res() reply: FastifyReply): void {
    void reply.send({ status: 'ok' });
  }

  /** 200 only if a request would be served now; otherwise 503 with the names of what is missing. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const failing = await this.readiness.failing();
    void reply
      .code(failing.length === 0 ? 200 : 503)
      .send({ status: failing.length === 0 ? 'ok' : 'unavailable', failing });
  }
}
