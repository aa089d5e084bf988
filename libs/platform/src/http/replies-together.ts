import type { FastifyInstance } from 'fastify';

/**
 * Sends the answers of one turn of the event loop after all its requests were read. A client on the same machine, such as a
 * proxy, is then woken once for all of them and not for each one, which takes longer than a short request.
 */
export function sendRepliesTogether(instance: FastifyInstance): void {
  instance.addHook('onSend', (_request, _reply, _payload, done) => void setImmediate(done));
}
