import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { sizeOf, type DavContent, type DavNode, type DavTree } from './dav-tree';

/** An admitted request. */
export interface DavCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly tree: DavTree;
  /** Path in the tree. */
  readonly path: string;
  /** Part of hrefs before the path. */
  readonly base: string;
  /** Share permissions in listings. */
  readonly permissions: number;
}

const MAX_KEPT = 8 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'x');

const METHODS: Readonly<Record<string, (call: DavCall) => void | Promise<void>>> = {
  PROPFIND: list,
  GET: give,
  HEAD: give,
  PUT: take,
  MKCOL: makeFolder,
  DELETE: remove,
  MOVE: move,
};

/** Answers as a WebDAV server does. */
export async function answerDav(call: DavCall): Promise<void> {
  const method = METHODS[call.request.method ?? ''];
  if (method) await method(call);
  else end(call, 405);
}

export function end({ response }: DavCall, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-length': '0', ...headers }).end();
}

export function hrefOf(base: string, path: string, isFolder: boolean): string {
  return `${base}${path.split('/').map(encodeURIComponent).join('/')}${isFolder ? '/' : ''}`;
}

/** The content from `start` to `last`, both included. */
export function streamOf(content: DavContent, start: number, last: number): Readable {
  if (Buffer.isBuffer(content)) return Readable.from([content.subarray(start, last + 1)]);
  return Readable.from(pieces(last - start + 1), { objectMode: false });
}

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length)
    yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
}

/** The XML inside `multistatus` for one entry. */
export function responseXml(href: string, node: DavNode, permissions: number): string {
  const isFolder = node.kind === 'folder';
  const size = sizeOf(node.content);
  const about = isFolder
    ? `<d:resourcetype><d:collection/></d:resourcetype><oc:size>${size}</oc:size>`
    : `<d:resourcetype/><d:getcontentlength>${size}</d:getcontentlength><d:getcontenttype>text/plain;charset=UTF-8</d:getcontenttype>`;
  return (
    `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getetag>&quot;${node.etag}&quot;</d:getetag>` +
    `<d:getlastmodified>${node.mtime.toUTCString()}</d:getlastmodified>${about}` +
    `<x1:share-permissions xmlns:x1="http://open-collaboration-services.org/ns">${permissions}</x1:share-permissions>` +
    '</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>'
  );
}

export const MULTISTATUS_START =
  '<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns">';
export const MULTISTATUS_END = '</d:multistatus>';

export function multistatus(call: DavCall): string {
  const { tree, path, base, permissions, request } = call;
  const below = request.headers.depth === '1' ? tree.childrenOf(path) : [];
  const entries = [path, ...below].map((one) => {
    const node = tree.get(one)!;
    return responseXml(hrefOf(base, one, node.kind === 'folder'), node, permissions);
  });
  return MULTISTATUS_START + entries.join('') + MULTISTATUS_END;
}

function list(call: DavCall): void {
  if (!call.tree.get(call.path)) return end(call, 404);
  call.response.writeHead(207, { 'content-type': 'application/xml; charset=utf-8' }).end(multistatus(call));
}

function give(call: DavCall): void {
  const node = call.tree.get(call.path);
  if (!node) return end(call, 404);
  if (node.kind === 'folder') return end(call, 405);
  const size = sizeOf(node.content);
  const asked = /^bytes=(\d+)-(\d*)$/.exec(call.request.headers.range ?? '');
  const [start, last] = asked
    ? [Number(asked[1]), Math.min(asked[2] ? Number(asked[2]) : size - 1, size - 1)]
    : [0, size - 1];
  if (!isExpected(call, node)) return end(call, 412);
  if (asked && start >= size) return end(call, 416);
  const ranged = asked ? { 'content-range': `bytes ${start}-${last}/${size}` } : {};
  call.response.writeHead(asked ? 206 : 200, {
    'content-length': String(last - start + 1),
    etag: `"${node.etag}"`,
    'last-modified': node.mtime.toUTCString(),
    ...ranged,
  });
  if (call.request.method === 'HEAD') call.response.end();
  else streamOf(node.content, start, last).pipe(call.response);
}

/** Keeps small content; of large content only the size. */
async function take(call: DavCall): Promise<void> {
  const { request, tree, path } = call;
  const old = tree.get(path);
  const refusal = refusalOf(call, old);
  if (refusal !== undefined) return end(call, refusal);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_KEPT) chunks.push(chunk);
  }
  const mtime = request.headers['x-oc-mtime'];
  const content = size <= MAX_KEPT ? Buffer.concat(chunks) : { size };
  tree.file(path, content, mtime === undefined ? new Date() : new Date(Number(mtime) * 1000));
  end(call, old ? 204 : 201, { etag: `"${tree.get(path)!.etag}"` });
}

function refusalOf({ request, tree, path }: DavCall, old: DavNode | undefined): number | undefined {
  if (old?.kind === 'folder') return 405;
  if (path !== '' && tree.get(parentOf(path))?.kind !== 'folder') return 409;
  if (request.headers['if-none-match'] === '*' && old) return 412;
  return isExpected({ request }, old) ? undefined : 412;
}

const isExpected = ({ request }: Pick<DavCall, 'request'>, node: DavNode | undefined): boolean =>
  [undefined, `"${node?.etag ?? ''}"`].includes(request.headers['if-match']);

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

function makeFolder(call: DavCall): void {
  const { tree, path } = call;
  if (tree.get(path)) return end(call, 405);
  if (tree.get(parentOf(path))?.kind !== 'folder') return end(call, 409);
  tree.folder(path);
  end(call, 201);
}

function remove(call: DavCall): void {
  if (!call.tree.get(call.path)) return end(call, 404);
  call.tree.remove(call.path);
  end(call, 204);
}

function move(call: DavCall): void {
  const { tree, path, base, request } = call;
  const { destination = '', overwrite } = request.headers as Record<string, string | undefined>;
  const target = URL.canParse(destination) ? decodeURIComponent(new URL(destination).pathname) : '';
  if (!target.startsWith(`${base}/`)) return end(call, 502);
  const to = target.slice(base.length);
  if (!tree.get(path)) return end(call, 404);
  if (tree.get(parentOf(to))?.kind !== 'folder') return end(call, 409);
  const isThere = tree.get(to) !== undefined;
  if (isThere && overwrite === 'F') return end(call, 412);
  tree.move(path, to);
  end(call, isThere ? 204 : 201);
}
