import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EdgeReply } from './edge-reply';
import { letAnswer } from './self-answering';

/** Nest's Fastify adapter, extended so that an EdgeReply writes itself, and without the hook for Nest's middlewares: there are none. */
export class EdgeAdapter extends FastifyAdapter {
  constructor(instance: FastifyInstance) {
    super(instance as never);
  }

  override init(): Promise<void> {
    return Promise.resolve();
  }

  override setNotFoundHandler(handler: (request: FastifyRequest, reply: FastifyReply) => unknown) {
    return super.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) =>
      letAnswer(reply, () => handler(request, reply)),
    );
  }

  override setErrorHandler(handler: (error: Error, request: FastifyRequest, reply: FastifyReply) => unknown) {
    return super.setErrorHandler((error, request, reply) =>
      letAnswer(reply, () => handler(error as Error, request, reply)),
    );
  }

  override reply(response: FastifyReply, body: unknown, statusCode?: number): FastifyReply {
    if (body instanceof EdgeReply) {
      body.write(response);
      return response;
    }
    return super.reply(response, body, statusCode);
  }
}
