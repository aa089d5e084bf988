/** Parts that no address contains: a fragment, and NUL. */
const UNUSABLE = /#|%00/;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
/** The router compares a path without these unchanged. */
const SUSPICIOUS = /%|\/\.\.?(?:\/|$)/;

/**
 * The one form of a request's target (path and query) for everything after this point: the router, limits, streaming,
 * presenters. Doubled slashes, which clients send, are collapsed; the name of the server (`GET http://host/path`, as
 * proxies write it) is removed.
 */
export function canonicalTarget(target: string): string {
  const local = target.charCodeAt(0) === 47 ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const path = pathOfTarget(local);
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') + local.slice(path.length) : local;
}

/** Whether a canonical target can be looked up. If not, the answer is 400. */
export function isUsableTarget(target: string): boolean {
  return !UNUSABLE.test(target);
}

/**
 * Whether the fixed parts of a path have the spelling of its route. The router decodes a path
 * before it compares, but nothing else does: `/remote%2ephp` would reach a handler and bypass every limit. Segments
 * that lead elsewhere (`..`) are refused in place of a parameter; handlers read the part of a wild card themselves.
 * @param pattern of the route, with `:name` and `*`
 * @param path without its query
 */
export function isSpelledAsRoute(pattern: string, path: string): boolean {
  if (!SUSPICIOUS.test(path)) return true;
  const given = path.split('/');
  return pattern.split('/').every((segment, at) => {
    if (segment.startsWith('*')) return true;
    return segment.startsWith(':') ? !DOT_SEGMENT.test(given[at] ?? '') : segment === (given[at] ?? '');
  });
}

/** The path of a target, without its query. */
export function pathOfTarget(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}
