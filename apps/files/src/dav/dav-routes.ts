/** All paths of the WebDAV interface. The tree of an address is read from its raw form (see parseDavBase). */
export const DAV_ROUTES = ['remote.php', 'remote.php/*', 'public.php', 'public.php/*', 'dav', 'dav/*'];

/** Whether a request's errors are answered in the form of the WebDAV interface. */
export function isDavPath(url: string): boolean {
  return /^\/(?:remote\.php|public\.php|dav)(?:[/?]|$)/.test(url) || isPartnersPath(url);
}

/** Whether partners' servers request their shares at this path: after a 401, 403 or 404 they delete the share. */
export function isPartnersPath(url: string): boolean {
  return /^\/(?:public\.php|(?:remote\.php\/)?dav\/ocm|index\.php\/apps\/files_sharing\/shareinfo)(?:[/?]|$)/.test(
    url,
  );
}

/** Methods for `Allow` and OPTIONS. */
export const ALLOWED_METHODS =
  'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK, SEARCH, REPORT';

/** RFC 4918 with locks (class 2). */
export const DAV_CLASSES = '1, 2, 3';
