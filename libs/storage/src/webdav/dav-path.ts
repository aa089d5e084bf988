import { pathOf, ROOT, type NodePath } from '../tree/node-path';
import { badRequest, DavFailure } from './dav-failure';

/** The tree to which an address of the WebDAV interface belongs. */
export type DavTree =
  /** The tree of the requesting account. */
  | { readonly of: 'caller' }
  | { readonly of: 'user'; readonly uid: string }
  /** The node of a public link, whose token is in the path. */
  | { readonly of: 'link'; readonly token: string }
  /**
   * The node of a public link or federated share, whose secret is in the request's
   * credentials.
   */
  | { readonly of: 'secret' }
  /** A share with another instance, by its provider id. Its secret is in the request's credentials. */
  | { readonly of: 'federated'; readonly providerId: string }
  /** An address above the trees, by the segments behind `/remote.php/dav`: none, `files`, or `principals` and further ones. */
  | { readonly of: 'directory'; readonly names: readonly string[] };

const SECRET_BASE = '/public.php/webdav';

/** The start of an address, which decides which credentials it accepts. */
export interface DavBase {
  readonly tree: DavTree;
  /** Part of hrefs before the path, percent-encoded: `/remote.php/webdav`, `/remote.php/dav/files/alice`. */
  readonly base: string;
  /** The segments behind `base`, still percent-encoded. */
  readonly below: readonly string[];
}

/** A path of the WebDAV interface: the tree, and the path in it. */
export interface DavPath {
  readonly tree: DavTree;
  readonly base: string;
  readonly path: NodePath;
}

/**
 * Reads the start of a raw, percent-encoded path, from a request or a Destination.
 * Empty segments are skipped, as in deployed servers.
 * @throws DavFailure `not-found` outside of the trees, `method-not-allowed` for the list of all links, `bad-request`
 * for a broken encoding
 */
export function parseDavBase(rawPath: string): DavBase {
  const encoded = rawPath.split('/').filter((segment) => segment !== '');
  // Only names are decoded: access is decided by one spelling, so that limits and proxies see the same names as this code.
  const name = (index: number): string | undefined => encoded[index] && decodeSegment(encoded[index]);
  const base = (tree: DavTree, depth: number): DavBase => ({
    tree,
    base: `/${encoded.slice(0, depth).join('/')}`,
    below: encoded.slice(depth),
  });
  const [entry, service, collection] = encoded;
  if (entry === 'public.php' && service === 'webdav') return base({ of: 'secret' }, 2);
  if (entry === 'dav' && service === 'ocm') return byProviderId(base, name(2), 3);
  if (entry === 'remote.php') {
    if (service === 'webdav' || service === 'files') return base({ of: 'caller' }, 2);
    const owner = service === 'dav' ? name(3) : undefined;
    if (service === 'dav' && collection === 'files' && owner !== undefined)
      return base({ of: 'user', uid: owner }, 4);
    if (service === 'dav' && collection === 'ocm') return byProviderId(base, owner, 4);
    if (
      service === 'dav' &&
      (collection === undefined || collection === 'files' || collection === 'principals')
    )
      return base({ of: 'directory', names: encoded.slice(2).map(decodeSegment) }, encoded.length);
    if (service === 'dav' && collection === 'public-files') {
      if (owner === undefined) throw new DavFailure('method-not-allowed', 'Links are not listed');
      return base({ of: 'link', token: owner }, 4);
    }
  }
  throw noEndpoint();
}

/** OpenCloud requests the root as `<id>/.`; dot segments are removed (RFC 3986, 5.2.4). */
function byProviderId(
  base: (tree: DavTree, depth: number) => DavBase,
  providerId: string | undefined,
  depth: number,
): DavBase {
  if (providerId === undefined) throw noEndpoint();
  const start = base({ of: 'federated', providerId }, depth);
  return { ...start, below: start.below.filter((segment) => segment !== '.') };
}

const noEndpoint = (): DavFailure => new DavFailure('not-found', 'There is no such WebDAV endpoint');

/** Whether two addresses with the same credentials belong to the same tree. */
export function isSameTree(one: DavTree, other: DavTree): boolean {
  switch (one.of) {
    case 'caller':
    case 'secret':
      return other.of === one.of;
    case 'user':
      return other.of === 'user' && other.uid === one.uid;
    case 'link':
      return other.of === 'link' && other.token === one.token;
    case 'federated':
      return other.of === 'federated' && other.providerId === one.providerId;
    case 'directory':
      return false;
  }
}

/**
 * Reads the rest of an address; `%2F` would join two names into one and is refused.
 * @throws DavFailure `bad-request` for a broken encoding @throws TreeFailure for invalid names
 */
export function pathBelow({ below }: DavBase): NodePath {
  return pathOf(below.map(decodeSegment));
}

/** Reads a whole raw path. @throws errors of parseDavBase and pathBelow */
export function parseDavPath(rawPath: string): DavPath {
  const start = parseDavBase(rawPath);
  return { tree: start.tree, base: start.base, path: pathBelow(start) };
}

/**
 * The percent-encoded address of a path below `base`. Addresses of folders end in a slash and, as in deployed servers, so does the
 * root of `public.php`.
 */
export function hrefOf(base: string, path: NodePath, isFolder: boolean): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const endsInSlash = isFolder || (path === ROOT && base === SECRET_BASE);
  return base + encoded + (endsInSlash ? '/' : '');
}

/** Addresses below `base`, as by `hrefOf`, for many entries of the same folder: the folder's part is encoded once. */
export function hrefsBelow(base: string): (path: NodePath, isFolder: boolean) => string {
  let folder: string | undefined;
  let encoded = '';
  return (path, isFolder) => {
    const end = path.lastIndexOf('/') + 1;
    if (end === 0) return hrefOf(base, path, isFolder);
    const above = path.slice(0, end);
    if (above !== folder) [folder, encoded] = [above, hrefOf(base, above as NodePath, false)];
    return encoded + encodeURIComponent(path.slice(end)) + (isFolder ? '/' : '');
  };
}

/** A name in a path. @throws DavFailure `bad-request` */
export function decodeSegment(segment: string): string {
  if (/%2f/i.test(segment)) throw badRequest('A name cannot contain a slash');
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The path is not valid percent-encoded UTF-8');
  }
}
