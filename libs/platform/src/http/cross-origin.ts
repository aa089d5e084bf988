import type { FastifyInstance } from 'fastify';

const PREFLIGHT = {
  'access-control-allow-methods':
    'GET, HEAD, POST, PUT, DELETE, OPTIONS, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Depth, Destination, If-Match, If-None-Match, OC-Checksum, OCS-APIRequest, Overwrite, Range, X-OC-Mtime, X-Requested-With',
  'access-control-max-age': '600',
};
const EXPOSED = 'ETag, OC-ETag, OC-FileId, Retry-After, Content-Range, DAV';

/**
 * Lets pages of the origins that are configured read answers; of others, and without any, none may. Credentials
 * that a browser adds by itself are never asked for: who calls has to send his own.
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
