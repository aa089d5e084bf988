import { pathOf, type NodePath } from '../tree/node-path';
import { badRequest, DavFailure } from './dav-failure';

/** A path of the WebDAV interface: which tree it addresses, and where in it. */
export interface DavPath {
  /** What precedes the path in hrefs, percent-encoded: `/remote.php/webdav`, `/remote.php/dav/files/alice`. */
  readonly base: string;
  /** The owner of the tree, where the path names him; the caller's own tree otherwise. */
  readonly uid: string | undefined;
  readonly path: NodePath;
}

/**
 * Reads the raw path of a request or a Destination, from its first slash, still percent-encoded.
 * Empty segments are skipped, as deployed servers do; `%2F` would make one name of two and is refused.
 * @throws DavFailure `bad-request` for a broken encoding, `not-found` outside of the trees
 * @throws TreeFailure for names that no node can have
 */
export function parseDavPath(rawPath: string): DavPath {
  const encoded = rawPath.split('/').filter((segment) => segment !== '');
  const segments = encoded.map(decodeSegment);
  if (segments[0] === 'remote.php') {
    if (segments[1] === 'webdav' || segments[1] === 'files') return davPath(encoded, segments, 2, undefined);
    if (segments[1] === 'dav' && segments[2] === 'files' && segments[3] !== undefined) {
      return davPath(encoded, segments, 4, segments[3]);
    }
  }
  throw new DavFailure('not-found', 'There is no such WebDAV endpoint');
}

/** The percent-encoded address of a path below `base`; a folder's ends in a slash. */
export function hrefOf(base: string, path: NodePath, isFolder: boolean): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return base + encoded + (isFolder ? '/' : '');
}

function davPath(
  encoded: readonly string[],
  segments: readonly string[],
  depth: number,
  uid: string | undefined,
): DavPath {
  return { base: `/${encoded.slice(0, depth).join('/')}`, uid, path: pathOf(segments.slice(depth)) };
}

function decodeSegment(segment: string): string {
  if (/%2f/i.test(segment)) throw badRequest('A name cannot contain a slash');
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The path is not valid percent-encoded UTF-8');
  }
}
