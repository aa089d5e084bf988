import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics';
import { onRequestEnd } from './request-ends';

/** Methods with their own metric series, so that callers cannot add series. */
const METHODS = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'],
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE'],
]);

/** Measures every request of a server by its route. */
export function measureRequests(instance: FastifyInstance, metrics: Metrics): void {
  onRequestEnd(instance, (request, reply, durationMs) => {
    const method = METHODS.has(request.method) ? request.method : 'other';
    const route = request.routeOptions.url ?? 'none';
    metrics.requestEnded(method, route, reply.statusCode, durationMs / 1000);
  });
}
