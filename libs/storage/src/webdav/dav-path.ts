import { pathOf, type NodePath } from '../tree/node-path';
import { badRequest, DavFailure } from './dav-failure';

/** Which tree an address of the WebDAV interface leads into. */
export type DavTree =
  /** That of whoever makes the request. */
  | { readonly of: 'caller' }
  | { readonly of: 'user'; readonly uid: string }
  /** What a public link shares; its token is the user name of the request's credentials when the path has none. */
  | { readonly of: 'link'; readonly token: string | undefined };

/** The start of an address, which says whose credentials it takes. */
export interface DavBase {
  readonly tree: DavTree;
  /** What precedes the path in hrefs, percent-encoded: `/remote.php/webdav`, `/remote.php/dav/files/alice`. */
  readonly base: string;
  /** The segments behind it, still percent-encoded. */
  readonly below: readonly string[];
}

/** A path of the WebDAV interface: which tree it addresses, and where in it. */
export interface DavPath {
  readonly tree: DavTree;
  readonly base: string;
  readonly path: NodePath;
}

/**
 * Reads the start of the raw path of a request or a Destination, from its first slash, still percent-encoded.
 * Empty segments are skipped, as deployed servers do.
 * @throws DavFailure `not-found` outside of the trees, `method-not-allowed` for the list of all links, `bad-request`
 * for a broken encoding
 */
export function parseDavBase(rawPath: string): DavBase {
  const encoded = rawPath.split('/').filter((segment) => segment !== '');
  // Only what decides: a name further down that is broken is the failure of a request that may be made.
  const segment = (index: number): string | undefined => encoded[index] && decodeSegment(encoded[index]);
  const base = (tree: DavTree, depth: number): DavBase => ({
    tree,
    base: `/${encoded.slice(0, depth).join('/')}`,
    below: encoded.slice(depth),
  });
  const [entry, service] = [segment(0), segment(1)];
  if (entry === 'public.php' && service === 'webdav') return base({ of: 'link', token: undefined }, 2);
  if (entry === 'remote.php') {
    if (service === 'webdav' || service === 'files') return base({ of: 'caller' }, 2);
    const [collection, name] = service === 'dav' ? [segment(2), segment(3)] : [];
    if (collection === 'files' && name !== undefined) return base({ of: 'user', uid: name }, 4);
    if (collection === 'public-files') {
      if (name === undefined) throw new DavFailure('method-not-allowed', 'Links are not listed');
      return base({ of: 'link', token: name }, 4);
    }
  }
  throw new DavFailure('not-found', 'There is no such WebDAV endpoint');
}

/**
 * Reads the rest of an address; `%2F` would make one name of two and is refused.
 * @throws DavFailure `bad-request` for a broken encoding @throws TreeFailure for names that no node can have
 */
export function pathBelow({ below }: DavBase): NodePath {
  return pathOf(below.map(decodeSegment));
}

/** Reads a whole raw path. @throws what parseDavBase and pathBelow throw */
export function parseDavPath(rawPath: string): DavPath {
  const start = parseDavBase(rawPath);
  return { tree: start.tree, base: start.base, path: pathBelow(start) };
}

/** The percent-encoded address of a path below `base`; a folder's ends in a slash. */
export function hrefOf(base: string, path: NodePath, isFolder: boolean): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return base + encoded + (isFolder ? '/' : '');
}

function decodeSegment(segment: string): string {
  if (/%2f/i.test(segment)) throw badRequest('A name cannot contain a slash');
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The path is not valid percent-encoded UTF-8');
  }
}
