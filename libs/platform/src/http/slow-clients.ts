import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from './request-bodies';
import type { UnreadRequests } from './unread-requests';

/**
 * Disconnects clients that are silent for `limitMs` in the middle of a request's body, or that do not read their answer. A
 * client that has sent everything and waits is left alone, however long the answer takes.
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
  /** Length of the measured period. */
  readonly windowMs: number;
  readonly bytesPerSecond: number;
}

/** Checks of a body per measured period. */
const CHECKS_PER_WINDOW = 4;

/**
 * Disconnects clients whose bodies arrive more slowly than that. Time in which we do not read the received part
 * does not count.
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
 * Error of a request after the last one of a connection: the answer to the last one is being sent, and no other may
 * overtake it.
 */
const AFTER_THE_LAST = 'HPE_CLOSED_CONNECTION';

/** Gives the shortest answer to bytes that are no request, or no complete one in time. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket, unread: UnreadRequests): void {
  if (error.code === AFTER_THE_LAST) return;
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  unread.note(error.code ?? 'malformed', socket.remoteAddress);
  const status = REFUSALS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
