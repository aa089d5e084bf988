// A partner with files of 64 MB, twice: one server sends all bytes of an answer, the other one cuts the connection after each 8 MB. Run
// as a child process.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const BYTES = 64 * 1024 * 1024;
const CUT_AFTER = 8 * 1024 * 1024;
const PIECE = Buffer.alloc(256 * 1024, 'bench ');

function startPartner(cutAfter) {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/.well-known/ocm') return discovery(server, response);
    if (request.method === 'PROPFIND') return list(request, response);
    if (request.method === 'GET') return send(request, response, cutAfter);
    response.writeHead(404).end();
  });
  return new Promise((started) => server.listen(0, '127.0.0.1', () => started(server)));
}

function discovery(server, response) {
  const endPoint = `http://127.0.0.1:${server.address().port}/ocm`;
  const resourceTypes = [
    { name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } },
  ];
  const document = { enabled: true, apiVersion: '1.0-proposal1', endPoint, resourceTypes };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

const etagOf = (path) => `"${path.split('/').at(-1) || 'root'}"`;

function list({ url, headers }, response) {
  const isFile = url.endsWith('.bin');
  const entry = (href, type) =>
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${type}<d:getetag>${etagOf(href)}</d:getetag></d:prop>` +
    `<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  const file = `<d:resourcetype/><d:getcontentlength>${BYTES}</d:getcontentlength>`;
  const folder = '<d:resourcetype><d:collection/></d:resourcetype>';
  const inside =
    isFile || headers.depth === '0' ? '' : NAMES.map((name) => entry(`${url}${name}`, file)).join('');
  response.writeHead(207, { 'content-type': 'application/xml' });
  response.end(
    `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${entry(url, isFile ? file : folder)}${inside}</d:multistatus>`,
  );
}

function* content(bytes) {
  for (let sent = 0; sent < bytes; sent += PIECE.length) yield PIECE;
}

/** Sends the requested part, and cuts the connection after `cutAfter` bytes. */
async function send(request, response, cutAfter) {
  const [, first] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
  const start = Number(first ?? 0);
  const part = first === undefined ? {} : { 'content-range': `bytes ${start}-${BYTES - 1}/${BYTES}` };
  response.writeHead(first === undefined ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': BYTES - start,
    'accept-ranges': 'bytes',
    etag: etagOf(request.url),
    ...part,
  });
  const isCut = BYTES - start > cutAfter;
  const pieces = Readable.from(content(isCut ? cutAfter : BYTES - start), { objectMode: false });
  // The gateway may end the connection first.
  await pipeline(pieces, response, { end: !isCut }).catch(() => undefined);
  if (isCut) response.socket?.destroySoon();
}

const NAMES = Array.from({ length: 64 }, (_, number) => `file-${number}.bin`);
const whole = await startPartner(Infinity);
const cutting = await startPartner(CUT_AFTER);

process.on('message', () =>
  process.send({ whole: whole.address().port, cutting: cutting.address().port, names: NAMES, bytes: BYTES }),
);
process.once('disconnect', () => process.exit(0));
