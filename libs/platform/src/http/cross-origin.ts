import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/table';
import { isOpenToPages } from '../path-table';
import { pathOfTarget } from './canonical-target';

const PREFLIGHT = {
  'access-control-allow-methods':
    'GET, HEAD, POST, PUT, DELETE, OPTIONS, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Depth, Destination, If-Match, If-None-Match, OC-Checksum, OCS-APIRequest, Overwrite, Range, X-OC-Mtime, X-Requested-With',
  'access-control-max-age': '600',
};
const EXPOSED = 'ETag, OC-ETag, OC-FileId, OC-Perm, OC-JobStatus-Location, Retry-After, Content-Range, DAV';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH']);

/** Whether requests with this method change nothing. */
export const isReadingMethod = (method: string): boolean => READING.has(method);

/**
 * Lets pages of the configured origins read answers; other pages may not, and without the setting no page may.
 * Credentials that a browser adds by itself are never accepted: callers send their own.
 */
export function allowOrigins(instance: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  instance.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    void reply.header('vary', 'Origin');
    if (origin === undefined || !origins.includes(origin)) return done();
    void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'];
    if (isPreflight) void reply.code(204).headers(PREFLIGHT).send();
    else done();
  });
}

/**
 * Answers 403 if the page of another site makes a browser change something. A browser adds remembered
 * passwords, so the request is refused before the sign-in. Clients that are not browsers send none of these headers.
 *
 * Paths without an account are left out, unless they check a password: the page could call them itself. A form on the page of
 * a link has the origin `null`, because that page hides its address.
 */
export function refuseForeignPages(
  instance: FastifyInstance,
  { PUBLIC_URL, CORS_ORIGINS }: Pick<Config, 'PUBLIC_URL' | 'CORS_ORIGINS'>,
): void {
  const own = PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).origin];
  const allowed = new Set([...own, ...CORS_ORIGINS]);
  instance.addHook('onRequest', (request, reply, done) => {
    if (isReadingMethod(request.method) || !isOfForeignPage(request, allowed)) return done();
    if (isOpenToPages(pathOfTarget(request.url))) return done();
    void reply
      .code(403)
      .type('text/plain; charset=utf-8')
      .send('Pages of this origin may change nothing here; CORS_ORIGINS names those that may.\n');
  });
}

/** The browser's own header is checked first; a page can set neither header. */
function isOfForeignPage({ headers }: FastifyRequest, allowed: ReadonlySet<string>): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && allowed.has(origin)) return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && isOfPage(origin);
}

/** Browser extensions and apps have their own schemes, which no page has. */
const isOfPage = (origin: string): boolean => /^(?:https?:|null$)/i.test(origin);
