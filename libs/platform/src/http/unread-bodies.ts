import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { announcesBody } from './request-bodies';

/** Maximum of bytes of a refused body that are read and dropped, so that the connection can be reused. */
const DISCARDED_BYTES = 64 * 1024;
/** Time for a client to read its answer. If the connection ended at once, some clients would lose it. */
const LINGER_MS = 2000;

/**
 * Ends connections whose request was answered before its body was read, unless the rest is small. The rest of
 * a large body is not read, because even dropping it would cost memory and time.
 */
export function leaveBodiesUnread(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, _payload, done) => {
    if (isLeftUnread(request)) {
      void reply.header('connection', 'close');
      endSlowly(reply.raw);
    }
    done();
  });
}

function isLeftUnread({ raw }: FastifyRequest): boolean {
  if (raw.complete || raw.readableFlowing === true || !announcesBody(raw)) return false;
  const wasStopped = raw.readableFlowing === false;
  if (wasStopped) return true;
  const { 'content-length': length } = raw.headers;
  return length === undefined || Number(length) > DISCARDED_BYTES;
}

/** Replaces the way in which Node.js ends a connection after its last answer: it would read on, and close at once. */
function endSlowly({ socket }: ServerResponse): void {
  if (!socket) return;
  socket.destroySoon = () => {
    socket.end();
    // Node.js continues to read within this turn.
    setImmediate(() => socket.pause());
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
