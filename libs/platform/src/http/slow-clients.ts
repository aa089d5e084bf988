import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from './request-bodies';
import type { UnreadRequests } from './unread-requests';

/**
 * Cuts clients that stay silent for `limitMs` in the middle of a request's body, or that do not take their answer. A
 * client that has said everything and waits is left alone, however long the answer takes to make.
 */
export function cutSlowClients(server: Server, limitMs: number): void {
  const served = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    served.set(request.socket, { request, response });
  });
  server.timeout = limitMs;
  server.on('timeout', (socket: Socket) => {
    const exchange = served.get(socket);
    const isWaiting =
      exchange?.request.complete && !exchange.response.writableEnded && socket.writableLength === 0;
    if (!isWaiting) socket.destroy();
  });
}

export interface SlowestBody {
  /** The time over which it is measured. */
  readonly windowMs: number;
  readonly bytesPerSecond: number;
}

/** How often a body is checked within the time over which it is measured. */
const CHECKS_PER_WINDOW = 4;

/**
 * Cuts clients whose bodies arrive more slowly than that. The time in which a body waits for us, since what came of it is
 * not taken yet, does not count.
 */
export function cutSlowBodies(server: Server, { windowMs, bytesPerSecond }: SlowestBody): void {
  const unfinished = new Map<IncomingMessage, { since: number; bytesRead: number }>();
  const mark = ({ socket: { bytesRead } }: IncomingMessage) => ({ since: performance.now(), bytesRead });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!announcesBody(request)) return;
    unfinished.set(request, mark(request));
    response.once('close', () => unfinished.delete(request));
  });
  const look = (): void => {
    for (const [request, { since, bytesRead }] of unfinished) {
      const waitsForUs = request.readableLength >= request.readableHighWaterMark;
      if (request.complete) unfinished.delete(request);
      else if (waitsForUs) unfinished.set(request, mark(request));
      else if (performance.now() - since >= windowMs) {
        const least = (bytesPerSecond * windowMs) / 1000;
        if (request.socket.bytesRead - bytesRead < least) request.socket.destroy();
        else unfinished.set(request, mark(request));
      }
    }
  };
  const timer = setInterval(look, windowMs / CHECKS_PER_WINDOW).unref();
  server.once('close', () => clearInterval(timer));
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Error of a request after the last one of a connection: the answer to the last one is on its way, and no other may
 * come before it.
 */
const AFTER_THE_LAST = 'HPE_CLOSED_CONNECTION';

/** Answers bytes that are no request, or none that is finished in time, in as few words as there are. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket, unread: UnreadRequests): void {
  if (error.code === AFTER_THE_LAST) return;
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  unread.note(error.code ?? 'malformed', socket.remoteAddress);
  const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
