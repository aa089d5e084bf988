import type { NodeProperties, VisibleNode } from '#storage';
import type { DavCall } from './dav-call';

type Described = Pick<VisibleNode, 'path' | 'row' | 'etag'>;

/** Headers about a file's state, for any part of its content. */
export function stateHeaders(node: Described): Record<string, string> {
  return {
    etag: `"${node.etag}"`,
    'oc-etag': `"${node.etag}"`,
    'last-modified': node.row.mtime.toUTCString(),
  };
}

/** Headers about a written node, which save the client a request for its properties. */
export async function writtenHeaders(
  properties: NodeProperties,
  { uid }: Pick<DavCall, 'uid'>,
  node: VisibleNode,
): Promise<Record<string, string>> {
  return {
    etag: `"${node.etag}"`,
    'oc-etag': `"${node.etag}"`,
    'oc-fileid': await properties.fileId(node.row.id),
    'oc-perm': await properties.letters(node, uid),
  };
}

/**
 * Headers of a file's content. Users put it there, so no browser may run it on our origin: it is always
 * an attachment, with exactly this type, in an empty sandbox.
 */
export function contentHeaders(node: Described): Record<string, string | undefined> {
  const { mimetype, checksum } = node.row;
  return {
    ...stateHeaders(node),
    'content-type': mimetype.startsWith('text/') ? `${mimetype}; charset=utf-8` : mimetype,
    ...attachmentHeaders(node.path.slice(node.path.lastIndexOf('/') + 1)),
    'accept-ranges': 'bytes',
    'oc-checksum': checksum?.split(' ')[0],
  };
}

/** Headers of all content from users; in a 304, too, because a browser's cache replaces the headers that it has by those of a 304. */
export const USER_CONTENT = {
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

/** Headers of content from users, with the name for saving it. */
export function attachmentHeaders(name: string): Record<string, string> {
  return {
    'content-disposition': `attachment; filename*=UTF-8''${encodeExtended(name)}; filename="${asciiName(name)}"`,
    ...USER_CONTENT,
  };
}

/** RFC 8187: encodes characters that encodeURIComponent keeps but the header's grammar does not allow. */
function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
}
