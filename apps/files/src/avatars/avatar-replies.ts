import type { FastifyRequest } from 'fastify';
import { attachmentHeaders, USER_CONTENT } from '../dav/content-headers';
import { DavReply } from '../dav/dav-reply';
import type { ShownAvatar } from './avatar-pictures';

/** Replies in the form that clients of ownCloud and Nextcloud read. */
export function jsonReply(status: number, body: object): DavReply {
  return new DavReply(
    status,
    { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    // Sent as bytes: to a text the framework would add a charset.
    Buffer.from(JSON.stringify(body)),
  );
}

/** A picture, or 304 if the client already has it; undefined if it cannot be made. */
export async function pictureReply(
  request: FastifyRequest,
  { etag, picture }: ShownAvatar,
  more: Readonly<Record<string, number>> = {},
): Promise<DavReply | undefined> {
  const quoted = `"${etag}"`;
  const kept = { ...USER_CONTENT, 'cache-control': 'private, max-age=60, must-revalidate', etag: quoted };
  if (request.headers['if-none-match'] === quoted) return new DavReply(304, kept);
  const made = await picture();
  if (!made) return undefined;
  return new DavReply(
    200,
    {
      ...attachmentHeaders(`avatar.${made.type.slice('image/'.length)}`),
      'content-type': made.type,
      'content-length': made.data.length,
      ...kept,
      ...more,
    },
    request.method === 'HEAD' ? undefined : made.data,
  );
}
