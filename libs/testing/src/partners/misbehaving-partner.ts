import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { reply, replyJson, startFakeServer, type FakeServer, type FakeServerOptions } from './fake-server';
import { OWNCLOUD_OCM } from './product-partners';

/** Misbehaviour in answer to a request. */
export type Misbehaviour = keyof typeof ANSWERS;

const HTML = '<!DOCTYPE html><html><body>Welcome</body></html>';
const SLOW_BYTE_MS = 200;
const CHUNK = Buffer.alloc(1024 * 1024, 0x20);

const ANSWERS = {
  hang: (_response: ServerResponse): void => undefined,
  'slow bytes': (response: ServerResponse): void => slowly(response),
  '100 MB with 200': (response: ServerResponse): void => flood(response, 200),
  '100 MB with 201': (response: ServerResponse): void => flood(response, 201),
  'invalid JSON with 200': (response: ServerResponse): void => reply(response, 200, '{"a":'),
  'HTML with 200': (response: ServerResponse): void => reply(response, 200, HTML, 'text/html'),
  '200 with {}': (response: ServerResponse): void => replyJson(response, 200, {}),
  '201 with an empty array': (response: ServerResponse): void => replyJson(response, 201, []),
  '500 with a page': (response: ServerResponse): void => reply(response, 500, HTML, 'text/html'),
  '501': (response: ServerResponse): void => replyJson(response, 501, { message: 'not here' }),
  '429 with Retry-After': (response: ServerResponse): void => {
    response.writeHead(429, { 'retry-after': '120' }).end();
  },
  '503 with Retry-After': (response: ServerResponse): void => {
    response.writeHead(503, { 'retry-after': '30' }).end();
  },
  '301': (response: ServerResponse): void => {
    response.writeHead(301, { location: '/elsewhere' }).end();
  },
  'decompression bomb': (response: ServerResponse): void => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb());
  },
  'hangs up': (response: ServerResponse): void => {
    response.socket?.destroy();
  },
  'half an answer': (response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': '100' }).write('{"a"');
    setImmediate(() => response.socket?.destroy());
  },
  '10,000 headers': (response: ServerResponse): void => {
    for (let at = 0; at < 10_000; at += 1) response.setHeader(`x-${at}`, '1');
    response.writeHead(201).end('[]');
  },
  '200 small headers': (response: ServerResponse): void => {
    for (let at = 0; at < 200; at += 1) response.setHeader(`x-${at}`, '1');
    response.writeHead(201).end('[]');
  },
  'repeats the secret': (response: ServerResponse, body: string): void =>
    replyJson(response, 422, { message: `cannot take ${body.slice(-120)}` }),
} as const;

/** 8 kB that decompress to 8 MB. */
function bomb(): Buffer {
  return gzipSync(Buffer.alloc(8 * 1024 * 1024, 0x20));
}

/** One byte at a time, without end. */
function slowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const timer = setInterval(() => response.write(' '), SLOW_BYTE_MS);
  response.on('close', () => clearInterval(timer));
}

function flood(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  let left = 100;
  const more = (): void => {
    while (left > 0) {
      left -= 1;
      if (!response.write(CHUNK)) return;
    }
    response.end();
  };
  response.on('drain', more);
  more();
}

export interface MisbehavingOptions extends FakeServerOptions {
  /** Time of the misbehaviour: only for messages, or already at discovery. */
  readonly at?: 'messages' | 'discovery';
}

/** A partner that looks like ownCloud, until it misbehaves. */
export async function startMisbehaving(
  kind: Misbehaviour,
  { at = 'messages', ...options }: MisbehavingOptions = {},
): Promise<FakeServer> {
  let base = '';
  const server = await startFakeServer((request, response) => {
    if ((request.method === 'POST') === (at === 'messages')) return ANSWERS[kind](response, request.body);
    if (request.path !== '/ocm-provider/') return reply(response, 404, '', 'text/plain');
    replyJson(response, 200, ownCloudDocument(`${base}${OWNCLOUD_OCM}`));
  }, options);
  base = server.url;
  return server;
}

export function ownCloudDocument(endPoint: string): object {
  return {
    enabled: true,
    apiVersion: '1.0-proposal1',
    endPoint,
    shareTypes: [{ name: 'file', protocols: { webdav: '/public.php/webdav/' } }],
  };
}
