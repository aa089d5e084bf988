import type { FastifyReply } from 'fastify';

/** What a controller returns when its protocol decides bytes and headers: written without any interceptor. */
export abstract class EdgeReply {
  abstract write(reply: FastifyReply): void;
}
