import type { FastifyReply } from 'fastify';

/**
 * Runs a handler that answers by itself, and hands its failure to the framework. Fastify does not get its promise, after which it would look
 * for an answer; and Nest, whose async functions return the reply, does not wait until it was sent, which takes seven listeners.
 * @param ended called when the handler has ended
 */
export function letAnswer(
  reply: FastifyReply,
  handle: () => unknown,
  ended: () => void = () => undefined,
): void {
  (reply as { then: unknown }).then = undefined;
  const fail = (error: Error): void => {
    ended();
    if (!reply.sent) void reply.send(error);
  };
  Promise.resolve(handle()).then(ended, fail);
}
