import type { FastifyInstance } from 'fastify';

/**
 * Sends the answers of one turn of the event loop after all its requests were read (ADR 0260). A client on the same machine, such as a
 * proxy, is then woken once for all of them and not for each one, which takes longer than a short request.
 */
export function sendRepliesTogether(instance: FastifyInstance): void {
  instance.addHook('onSend', (_request, reply, _payload, done) => {
    setImmediate(() => {
      // A handler that fails after its answer would answer twice, and end the process.
      if (!reply.raw.headersSent) done();
    });
  });
}
