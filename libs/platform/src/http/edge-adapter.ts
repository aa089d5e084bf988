import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** What a controller returns when its protocol decides bytes and headers: written without any interceptor. */
export abstract class EdgeReply {
  abstract write(reply: FastifyReply): void;
}

/** Nest's Fastify adapter, which lets an EdgeReply write itself. */
export class EdgeAdapter extends FastifyAdapter {
  constructor(instance: FastifyInstance) {
    super(instance as never);
  }

  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (body instanceof EdgeReply) {
      body.write(response);
      return response;
    }
    return super.reply(response, body, statusCode);
  }
}
