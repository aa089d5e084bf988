import type { FastifyRequest } from 'fastify';
import { identityOf } from '#identity';
import { DavFailure, parseDavPath, parseDestination, type DavPath, type NodePath } from '#storage';

/** XML bodies of more bytes than this are refused: parsing blocks the event loop. */
const MAX_XML_BYTES = 64 * 1024;

/** A WebDAV request: who asks for what, and under which address. */
export interface DavCall {
  readonly uid: string;
  /** In the tree of `uid`. */
  readonly path: NodePath;
  /** Percent-encoded start of the tree's addresses. */
  readonly base: string;
}

/** @throws DavFailure `bad-request`, or `not-found` for another user's tree @throws TreeFailure for impossible names */
export function readCall(request: FastifyRequest): DavCall {
  const rawPath = request.raw.url!.split('?', 1)[0]!;
  return ownCall(request, parseDavPath(rawPath));
}

/** Where the caller wants something moved or copied to; only within his own tree. */
export function readDestination(request: FastifyRequest): DavCall {
  return ownCall(request, parseDestination(headerOf(request, 'destination')));
}

function ownCall(request: FastifyRequest, { base, uid, path }: DavPath): DavCall {
  const caller = identityOf(request).uid;
  // Ids of users are unique regardless of case.
  if (uid !== undefined && uid.toLowerCase() !== caller.toLowerCase()) {
    throw new DavFailure('not-found', 'There is no such user, or his files are not yours to see');
  }
  return { uid: caller, path, base };
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Whether bytes come with the request. */
export function hasBody(request: FastifyRequest): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/** The body of a request that carries XML. @throws DavFailure `body-too-large` */
export async function readXmlBody(request: FastifyRequest): Promise<string> {
  const tooLarge = new DavFailure(
    'body-too-large',
    `The request body may have ${MAX_XML_BYTES} bytes at most`,
  );
  if (Number(request.headers['content-length'] ?? 0) > MAX_XML_BYTES) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.raw as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_XML_BYTES) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
