import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { EdgeReply } from './edge-reply';

/** Nest's Fastify adapter, extended so that an EdgeReply writes itself, and without the hook for Nest's middlewares: there are none. */
export class EdgeAdapter extends FastifyAdapter {
  constructor(instance: FastifyInstance) {
    super(instance as never);
  }

  override init(): Promise<void> {
    return Promise.resolve();
  }

  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (body instanceof EdgeReply) {
      body.write(response);
      return response;
    }
    return super.reply(response, body, statusCode);
  }
}
