import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cidr } from '../config/parsers';
import type { Config } from '../config/table';
import { isRequestId } from '../tracing/origin';
import type { Span } from '../tracing/span';
import { readTraceparent } from '../tracing/trace-context';
import type { Tracing } from '../tracing/tracing';
import { workContext, type ActingRequest } from '../work-context';
import { onRequestEnd } from './request-ends';
import { isTrusted } from './trusted-address';

/** The request id from a trusted proxy, otherwise a new one. */
export function requestIdOf(request: IncomingMessage, proxies: readonly Cidr[]): string {
  const given = request.headers['x-request-id'];
  return isRequestId(given) && isFrom(request, proxies) ? given : randomUUID();
}

const isFrom = (request: IncomingMessage, ranges: readonly Cidr[]): boolean =>
  isTrusted(request.socket.remoteAddress ?? '', ranges);

/** Makes each request the origin of its work, whose actor is not known yet: its id appears in log lines, and its trace begins here. */
export function followRequests(instance: FastifyInstance, config: Config, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const span = tracing.isOn ? begin(request, config, tracing) : null;
    if (span) spans.set(request, span);
    const origin = { requestId: request.id, span };
    workContext.run({ origin, scope: { actor: undefined, request: named(request) } }, done);
  });
  if (!tracing.isOn) return;
  onRequestEnd(instance, (request, { raw, statusCode: status }) => {
    if (!raw.writableFinished) return spans.get(request)?.end('aborted');
    spans.get(request)?.set({ 'http.response.status_code': status });
    spans.get(request)?.end(status >= 500 ? String(status) : undefined);
  });
}

/**
 * Any caller can name a trace. It is continued only for trusted addresses, because others could fill the collector or
 * join foreign traces. Traces of other callers are noted as links.
 */
function begin(request: FastifyRequest, config: Config, tracing: Tracing): Span | null {
  const { traceparent } = request.headers;
  const named = typeof traceparent === 'string' ? readTraceparent(traceparent) : undefined;
  const isContinued = named !== undefined && isFrom(request.raw, config.TRACE_CONTEXT_FROM);
  const route = request.routeOptions.url ?? 'none';
  return tracing.start({
    name: `${request.method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'drawbridge.request_id': request.id,
    },
    parent: isContinued ? named : undefined,
    links: named && !isContinued ? [named] : [],
  });
}

/** A copy, because work that begins during a request, such as a database connection, would otherwise keep the whole request in memory. */
const named = ({ id, ip, headers }: FastifyRequest): ActingRequest => ({
  id,
  ip,
  forwardedFor: forwardedFor(headers),
});

/** Several headers with that name form one list. */
const forwardedFor = ({ 'x-forwarded-for': value }: IncomingHttpHeaders): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;
