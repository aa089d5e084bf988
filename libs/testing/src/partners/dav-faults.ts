import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  end,
  hrefOf,
  MULTISTATUS_END,
  MULTISTATUS_START,
  multistatus,
  responseXml,
  streamOf,
  type DavCall,
} from './dav-methods';
import { sizeOf, type DavContent } from './dav-tree';

/** Faults of a partner. A number is an answer with that status, sent before the request is read. */
export type DavFault = number | keyof typeof FAULTS;

const DRIP_MS = 50;
const HTML = '<!DOCTYPE html><html><head><title>Log in</title></head><body>Welcome</body></html>';
const XML = { 'content-type': 'application/xml; charset=utf-8' };

const FAULTS = {
  /** Neither reads nor answers. */
  hang: (): void => undefined,
  /** Reads the whole request and does not answer. */
  'hang after the request': ({ request }: DavCall): void => void request.resume(),
  /** The right answer, one byte at a time. */
  drip: (call: DavCall): void => drip(call.response, headOf(call)),
  /** Half of the answer, then silence. */
  'silence halfway': (call: DavCall): void => half(call, () => undefined),
  /** Half of the answer, or half of the request; then the connection is cut. */
  'cut halfway': (call: DavCall): void => cutHalfway(call),
  /** Half of the file, as if it was complete. */
  'half a file': (call: DavCall): void => {
    const content = contentOf(call);
    call.response.writeHead(200, { etag: '"half"' });
    streamOf(content, 0, Math.floor(sizeOf(content) / 2) - 1).pipe(call.response);
  },
  'HTML with 200': ({ response }: DavCall): void => page(response, 200),
  'HTML with 207': ({ response }: DavCall): void => page(response, 207),
  redirect: (call: DavCall): void => end(call, 302, { location: '/elsewhere' }),
  'gzip bomb': ({ response, request }: DavCall): void => {
    const status = request.method === 'PROPFIND' ? 207 : 200;
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 0x20));
    response.writeHead(status, { ...XML, 'content-encoding': 'gzip', etag: '"bomb"' }).end(bomb);
  },
  'another range': (call: DavCall): void => {
    const size = sizeOf(contentOf(call));
    const headers = { 'content-range': `bytes 0-3/${size}`, 'content-length': '4', etag: '"e"' };
    call.response.writeHead(206, headers).end('xxxx');
  },
  'all for a range': (call: DavCall): void => {
    const content = contentOf(call);
    call.response.writeHead(200, { 'content-length': String(sizeOf(content)), etag: '"e"' });
    streamOf(content, 0, sizeOf(content) - 1).pipe(call.response);
  },
  'broken XML': ({ response }: DavCall): void =>
    void response.writeHead(207, XML).end('<d:multistatus xmlns:d="DAV:"><d:response></d:multistatus>'),
  entities: ({ response }: DavCall): void =>
    void response
      .writeHead(207, XML)
      .end(`<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>${MULTISTATUS_START}&e;${MULTISTATUS_END}`),
  /** Endless entries. */
  'endless listing': (call: DavCall): void => endless(call),
  /** Wrong entries besides the right ones: other folders, duplicates, and impossible names. */
  'strange entries': (call: DavCall): void => strange(call),
} as const;

/** Applies the fault in place of an answer. */
export function misbehave(fault: DavFault, call: DavCall): void {
  if (typeof fault !== 'number') return FAULTS[fault](call);
  const retry: Record<string, string> = fault === 429 || fault === 503 ? { 'retry-after': '30' } : {};
  end(call, fault, retry);
}

const contentOf = ({ tree, path }: DavCall): DavContent => tree.get(path)?.content ?? Buffer.alloc(0);

function page(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8' }).end(HTML);
}

/** Writes the head of the right answer. @returns its body, as far as it is needed */
function headOf(call: DavCall): Buffer {
  const { response, request } = call;
  if (request.method === 'PROPFIND') {
    response.writeHead(207, XML);
    return Buffer.from(multistatus(call));
  }
  const content = contentOf(call);
  const etag = `"${call.tree.get(call.path)?.etag ?? 'e'}"`;
  response.writeHead(200, { 'content-length': String(sizeOf(content)), etag });
  return Buffer.isBuffer(content) ? content : Buffer.alloc(Math.min(sizeOf(content), 1024 * 1024), 'x');
}

function drip(response: ServerResponse, body: Buffer): void {
  response.flushHeaders();
  let at = 0;
  const timer = setInterval(() => void response.write(body.subarray(at, ++at)), DRIP_MS);
  response.on('close', () => clearInterval(timer));
}

function half(call: DavCall, after: () => void): void {
  const body = headOf(call);
  call.response.write(body.subarray(0, Math.ceil(body.length / 2)), after);
}

function cutHalfway(call: DavCall): void {
  const { request } = call;
  const cut = (): void => void setImmediate(() => request.socket.destroy());
  if (request.method !== 'PUT') return half(call, cut);
  const announced = Number(request.headers['content-length'] ?? 2);
  let got = 0;
  request.on('data', (chunk: Buffer) => {
    got += chunk.length;
    if (got * 2 >= announced) cut();
  });
}

function endless(call: DavCall): void {
  const { response, base, tree, permissions } = call;
  response.writeHead(207, XML).write(MULTISTATUS_START);
  let count = 0;
  const more = (): void => {
    while (!response.destroyed) {
      const href = hrefOf(base, `/file ${++count}`, false);
      if (!response.write(responseXml(href, tree.get('')!, permissions))) return;
    }
  };
  response.on('drain', more);
  more();
}

function strange(call: DavCall): void {
  const { base, path, tree, permissions, response } = call;
  const node = tree.get(path)!;
  const own = hrefOf(base, path, true);
  const hrefs = [
    `${own}..%2fescape`,
    `${own}%2e%2e/escape`,
    `${own}deep/er`,
    '/elsewhere/file',
    'https://other.example/file',
    `${own}twice`,
    `${own}twice`,
    `${own}bad%ff`,
    `${own}con%00trol`,
    `${own}${'n'.repeat(300)}`,
    '',
  ];
  const entries = hrefs.map((href) => responseXml(href, { ...node, kind: 'file' }, permissions));
  const nameless = '<d:response><d:propstat/></d:response>';
  const right = multistatus(call).slice(0, -MULTISTATUS_END.length);
  response.writeHead(207, XML).end(right + entries.join('') + nameless + MULTISTATUS_END);
}
