import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSpelledAsRoute, isUsableTarget, pathOfTarget } from './canonical-target';
import type { UnreadRequests } from './unread-requests';

/** Maximum length of a path with its query, in characters. */
const MAX_URL = 8192;
const MAX_HEADERS = 100;

/** Messages of partners and forms on pages, which are far smaller. */
const SMALL_BODIES = /^\/(?:ocm|ocs\/v[12]\.php\/cloud\/shares|s|index\.php\/s)(?:[/?]|$)/;
const SMALL_BODY_BYTES = 128 * 1024;

/** A request that is refused unread; `statusCode` says why. */
export class RequestRefused extends Error {
  constructor(readonly statusCode: 400 | 404 | 413 | 414 | 431) {
    super('request refused');
  }
}

/**
 * Refuses requests before their bodies are read: those with a too large request line or headers, and
 * those whose path differs from the spelling of its route.
 */
export function boundRequests(instance: FastifyInstance, unread: UnreadRequests): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const status = refusalOf(request);
    if (status === undefined) return done();
    if (status !== 404) unread.note(status === 400 ? 'malformed' : 'too-large', request.ip);
    done(new RequestRefused(status));
  });
}

function refusalOf({ url, raw, routeOptions }: FastifyRequest): 400 | 404 | 414 | 431 | undefined {
  if (url.length > MAX_URL) return 414;
  if (raw.rawHeaders.length > 2 * MAX_HEADERS) return 431;
  if (!isUsableTarget(url) || namesTwoHosts(raw.rawHeaders)) return 400;
  if (routeOptions.url !== undefined && !isSpelledAsRoute(routeOptions.url, pathOfTarget(url))) return 404;
  return undefined;
}

/** Proxies and servers choose differently between two hosts. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}

/** @param limit maximum of an ordinary body in bytes @returns maximum of a body to this path */
export function bodyLimitOf(request: FastifyRequest, limit: number): number {
  return SMALL_BODIES.test(request.url) ? Math.min(limit, SMALL_BODY_BYTES) : limit;
}
