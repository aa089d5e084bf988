import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A part of a span, as a collector receives it. */
export interface CollectedSpan {
  /** Name of the process of the span. */
  readonly service: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  /** Trace ids. */
  readonly links: readonly string[];
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly hasFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** A collector of traces on loopback that stores what it receives. */
export interface TraceCollector {
  readonly url: string;
  /** Received spans; apps send spans some seconds after their end. */
  spans(): readonly CollectedSpan[];
  /** All received text, unchanged. */
  text(): string;
  /** Headers of the last delivery. */
  headers(): IncomingHttpHeaders;
  close(): Promise<void>;
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2;

export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = [];
  let last: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      last = request.headers;
      if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(request.url === '/v1/traces' ? 200 : 404).end('{}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansIn),
    text: () => bodies.join('\n'),
    headers: () => last,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

interface Field {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}
interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Field[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}
interface WireSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links: readonly { readonly traceId: string }[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Field[];
}

function spansIn(body: string): CollectedSpan[] {
  return (JSON.parse(body) as Wire).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(service, span)));
  });
}

function collected(service: string, span: WireSpan): CollectedSpan {
  const startedAtMs = Number(span.startTimeUnixNano) / 1e6;
  return {
    service,
    name: span.name,
    kind: KINDS[span.kind]!,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    links: span.links.map(({ traceId }) => traceId),
    startedAtMs,
    durationMs: Number(span.endTimeUnixNano) / 1e6 - startedAtMs,
    hasFailed: span.status.code === FAILED,
    attributes: valuesOf(span.attributes),
  };
}

const valuesOf = (fields: readonly Field[]): Record<string, string | number | boolean> =>
  Object.fromEntries(fields.map(({ key, value }) => [key, Object.values(value)[0]!]));
