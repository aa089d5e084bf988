import type { FastifyReply } from 'fastify';

/** Result of a controller whose protocol decides bytes and headers; written without any interceptor. */
export abstract class EdgeReply {
  abstract write(reply: FastifyReply): void;
}
