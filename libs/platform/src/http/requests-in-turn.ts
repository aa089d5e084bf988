import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Handles the requests of one connection one after another; Node.js would handle all that have arrived at the same time. If a client sends
 * a request before it has the answer to the one before (RFC 9112, 9.3.2), its GET sees the file of its PUT, and one connection has
 * no more work of the process than one request. Requests that nobody waits for any more are not handled. Has to be the first hook.
 */
export function handleInTurn(instance: FastifyInstance): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  instance.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    const before = latest.get(socket);
    latest.set(socket, response);
    if (before === undefined || before.closed) return done();
    before.once('close', () => {
      if (socket.writable) done();
    });
  });
}
