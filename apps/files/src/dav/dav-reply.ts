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

export function multistatus(entries: Iterable<MultistatusEntry>): DavReply {
  const chunks = writeMultistatus(entries);
  const first = chunks.next().value ?? '';
  const second = chunks.next().value;
  // Most listings are one piece, for which a stream would only cost time.
  if (second === undefined) return new DavReply(207, LISTED, first);
  return new DavReply(207, LISTED, Readable.from(following(first, second, chunks)));
}

function* following(first: string, second: string, rest: Iterable<string>): Generator<string> {
  yield first;
  yield second;
  yield* rest;
}
