/** Characters that no address contains: a fragment, and NUL. */
const UNUSABLE = /#|%00/;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
/** A path without these was compared by the router as it is. */
const SUSPICIOUS = /%|\/\.\.?(?:\/|$)/;

/**
 * The one form of a request's target (path and query) that everything after it reads: the router, limits, streaming,
 * presenters. Doubled slashes are collapsed, since clients send them; the name of the server (`GET http://host/path`, as
 * proxies write it) is left out.
 */
export function canonicalTarget(target: string): string {
  const local = target.charCodeAt(0) === 47 ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const path = pathOfTarget(local);
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') + local.slice(path.length) : local;
}

/** Whether a canonical target can be looked up at all; one that cannot is answered 400. */
export function isUsableTarget(target: string): boolean {
  return !UNUSABLE.test(target);
}

/**
 * Whether the parts of a path that its route names are written as the route names them. The router decodes a path
 * before it compares, and nothing else does: `/remote%2ephp` would reach a handler and pass by every limit. Segments
 * that lead elsewhere (`..`) are refused where a parameter stands; handlers read what a wild card stands for themselves.
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
