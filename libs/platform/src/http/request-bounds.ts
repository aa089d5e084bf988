import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { UnreadRequests } from './unread-requests';

/** Characters of a path with its query. */
const MAX_URL = 8192;
const MAX_HEADERS = 100;

/** Messages of partners, and forms on pages: what they can hold is far below it. */
const SMALL_BODIES = /^\/(?:ocm|ocs\/v[12]\.php\/cloud\/shares|s|index\.php\/s)(?:[/?]|$)/;
const SMALL_BODY_BYTES = 128 * 1024;

/** A request that is larger than requests are; `statusCode` says in what. */
export class RequestTooLarge extends Error {
  constructor(readonly statusCode: 413 | 414 | 431) {
    super('request too large');
  }
}

/** Refuses requests whose line or headers are larger than any that make sense, before anything of them is read. */
export function boundRequests(instance: FastifyInstance, unread: UnreadRequests): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const status = excessOf(request);
    if (status === undefined) return done();
    unread.note('too-large', request.ip);
    done(new RequestTooLarge(status));
  });
}

function excessOf({ url, raw }: FastifyRequest): 414 | 431 | undefined {
  if (url.length > MAX_URL) return 414;
  return raw.rawHeaders.length > 2 * MAX_HEADERS ? 431 : undefined;
}

/** @param limit bytes of an ordinary body @returns bytes that a body to this path may have */
export function bodyLimitOf(request: FastifyRequest, limit: number): number {
  return SMALL_BODIES.test(request.url) ? Math.min(limit, SMALL_BODY_BYTES) : limit;
}
