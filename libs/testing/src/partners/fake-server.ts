import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

const TLS = join(__dirname, 'tls');

/** The authority (PEM) that signed the certificates of fake partners with TLS. */
export const TEST_AUTHORITY = readFileSync(join(TLS, 'authority.pem'), 'utf8');

/** A received request. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The connection's port at the other end: the same for requests over one connection. */
  readonly remotePort: number;
}

/** Answers a request, or deliberately does not. */
export type Handler = (request: RecordedRequest, response: ServerResponse) => void;

/** A server on loopback that plays a partner's server. */
export interface FakeServer {
  /** `http[s]://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  /** In the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Requests with this method, as `METHOD path`. */
  seen(method: string): string[];
  /** Number of written bytes, whether or not they were read. */
  sent(): number;
  close(): Promise<void>;
}

export interface FakeServerOptions {
  readonly tls?: boolean;
  /** Port of an earlier partner, which starts again there. */
  readonly port?: number;
}

/** Starts a server that records every request and lets `handle` answer. */
export async function startFakeServer(
  handle: Handler,
  { tls = false, port = 0 }: FakeServerOptions = {},
): Promise<FakeServer> {
  const requests: RecordedRequest[] = [];
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    void readBody(message).then((body) => {
      const request = recorded(message, body);
      requests.push(request);
      handle(request, response);
    }, ignore);
  };
  const server = tls ? createTlsServer(certificate(), listener) : createServer(listener);
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => void sockets.push(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    seen: (method) => requests.filter((one) => one.method === method).map((one) => `${method} ${one.path}`),
    sent: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () => closeServer(server),
  };
}

function certificate(): { cert: string; key: string } {
  const read = (name: string): string => readFileSync(join(TLS, name), 'utf8');
  return { cert: read('partner.pem'), key: read('partner.key') };
}

function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function recorded(message: IncomingMessage, body: string): RecordedRequest {
  const { method = '', url = '', headers, socket } = message;
  const flat = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  const flatHeaders = Object.fromEntries(flat) as RecordedRequest['headers'];
  return { method, path: url, headers: flatHeaders, body, remotePort: socket.remotePort ?? 0 };
}

/** The client disconnected in the middle of its request. */
const ignore = (): void => undefined;

export function reply(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

export function replyJson(response: ServerResponse, status: number, body: unknown): void {
  reply(response, status, JSON.stringify(body));
}
