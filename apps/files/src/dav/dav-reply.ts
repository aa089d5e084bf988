import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';
import { HeldContent, writeMultistatus, writeMultistatusInParts, type MultistatusEntry } from '#storage';
import { DAV_CLASSES } from './dav-routes';

type Headers = Readonly<Record<string, string | number | undefined>>;

/** A reply of the WebDAV interface; undefined headers are left out. */
export class DavReply extends EdgeReply {
  constructor(
    private readonly status: number,
    readonly headers: Headers = {},
    private readonly body?: string | Buffer | Readable,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    reply.code(this.status);
    for (const [name, value] of Object.entries(this.headers))
      if (value !== undefined) reply.header(name, value);
    void reply.send(this.body instanceof HeldContent ? this.body.bytes : this.body);
  }
}

export const created = (headers: Headers = {}): DavReply => new DavReply(201, headers);
export const noContent = (headers: Headers = {}): DavReply => new DavReply(204, headers);

const LISTED = {
  'content-type': 'application/xml; charset=utf-8',
  vary: 'Brief,Prefer',
  dav: DAV_CLASSES,
};

/** A listing whose entries are read while it is sent. */
export const multistatusInParts = (parts: AsyncIterable<Iterable<MultistatusEntry>>): DavReply =>
  new DavReply(207, LISTED, Readable.from(writeMultistatusInParts(parts)));

/** Listings of at most this many bytes, which is about 1,500 entries, are written at once. */
const AT_ONCE_BYTES = 1024 * 1024;

/**
 * A listing whose entries are known. Most are written before they are sent, so that their rows and entries are gone by then: those of
 * many listings that are sent at the same time would fill the memory.
 */
export function multistatus(entries: Iterable<MultistatusEntry>): DavReply {
  const pieces = writeMultistatus(entries);
  const begun: Buffer[] = [];
  let bytes = 0;
  // A loop over the pieces themselves would close them when it ends, and the rest would be missing.
  for (let piece = pieces.next(); !piece.done; piece = pieces.next()) {
    const written = Buffer.from(piece.value);
    begun.push(written);
    bytes += written.length;
    if (bytes > AT_ONCE_BYTES) return new DavReply(207, LISTED, Readable.from(following(begun, pieces)));
  }
  return new DavReply(207, LISTED, Buffer.concat(begun));
}

function* following(begun: readonly Buffer[], rest: Iterable<string>): Generator<Buffer | string> {
  yield* begun;
  yield* rest;
}
