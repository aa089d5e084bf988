import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Called when a request is over: its answer was sent, or its client is gone.
 * @param durationMs since its headers arrived
 */
export type RequestEnd = (request: FastifyRequest, reply: FastifyReply, durationMs: number) => void;

const ENDS = Symbol('ends of requests');

/**
 * Lets parts of the server follow requests to their end. All of them share one listener for each request, which costs less than the
 * framework's `onResponse` hooks. Has to be added before the hooks that may refuse a request.
 */
export function followEnds(instance: FastifyInstance): void {
  const ends: RequestEnd[] = [];
  instance.decorate(ENDS, ends);
  instance.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    reply.raw.on('close', () => {
      const durationMs = performance.now() - began;
      for (const end of ends) end(request, reply, durationMs);
    });
    done();
  });
}

/** Calls `end` for each request of a server, also for refused ones. */
export function onRequestEnd(instance: FastifyInstance, end: RequestEnd): void {
  instance.getDecorator<RequestEnd[]>(ENDS).push(end);
}
