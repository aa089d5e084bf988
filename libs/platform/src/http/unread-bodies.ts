import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { announcesBody } from './request-bodies';

/** Bytes that are read and thrown away of a refused body, so that the connection can be used again. */
const DISCARDED_BYTES = 64 * 1024;
/** The time that a client has to read its answer. If the connection ended at once, some would lose it. */
const LINGER_MS = 2000;

/**
 * Ends connections whose request was answered before its body was read, unless what is left is little. Nothing more of
 * such a body is read: reading costs memory and time, also where all of it is thrown away.
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

/** Takes the place of how Node.js ends a connection after its last answer: it would read on, and close at once. */
function endSlowly({ socket }: ServerResponse): void {
  if (!socket) return;
  socket.destroySoon = () => {
    socket.end();
    // Node.js begins to read on within this turn.
    setImmediate(() => socket.pause());
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
}
