import {
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Config } from '../../config/table';
import type { Logger } from '../../logging';
import { PRODUCT_VERSION } from '../../version';
import { samplerOf } from './sampler';
import type { NewSpan, Span, SpanAttributes, SpanKind, Tracer } from '../span';
import { ReportedSpanExporter } from './reported-span-exporter';
import type { TraceContext } from '../trace-context';

const EXPORT_LIMIT_MS = 5000;
/** Maximum of spans that wait for the collector; further ones are dropped. */
const MAX_WAITING = 4096;
const EXPORT_EVERY_MS = 2000;

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
};

export interface OpenTelemetryOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Name of this process. */
  readonly service: string;
}

/** Sends spans over OTLP/HTTP (as JSON) to the configured collector. Only this file loads the SDK. */
export function openTelemetry({ config, logger, service }: OpenTelemetryOptions): Tracer {
  const exporter = new OTLPTraceExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: EXPORT_LIMIT_MS,
  });
  const provider = new BasicTracerProvider({
    sampler: samplerOf(config),
    resource: resourceFromAttributes(resourceOf(config, service)),
    spanProcessors: [
      new BatchSpanProcessor(new ReportedSpanExporter(exporter, logger), {
        maxQueueSize: MAX_WAITING,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_LIMIT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('drawbridge', PRODUCT_VERSION);
  return {
    start: (span) => startIn(tracer, contextOf(span.parent), span),
    close: () => within(provider.shutdown(), Math.min(EXPORT_LIMIT_MS, config.SHUTDOWN_GRACE)),
  };
}

function resourceOf(config: Config, service: string): Record<string, string> {
  const resource = {
    'service.name': config.OTEL_SERVICE_NAME ?? service,
    'service.version': PRODUCT_VERSION,
    'process.pid': String(process.pid),
  };
  // Distinguishes instances that use the same collector.
  return config.PUBLIC_URL ? { ...resource, 'service.namespace': new URL(config.PUBLIC_URL).host } : resource;
}

function startIn(tracer: OtelTracer, context: Context, span: NewSpan): Span {
  const options = {
    kind: KINDS[span.kind],
    attributes: span.attributes,
    links: span.links?.map((link) => ({ context: remote(link) })),
    startTime: span.startedAtMs,
  };
  return new RecordedSpan(tracer, tracer.startSpan(span.name, options, context));
}

class RecordedSpan implements Span {
  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
  ) {}

  get context(): TraceContext {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  child(span: Omit<NewSpan, 'parent'>): Span {
    return startIn(this.tracer, trace.setSpan(ROOT_CONTEXT, this.span), span);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  end(failure?: string): void {
    if (failure !== undefined) {
      this.span.setAttribute('error.type', failure);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

function contextOf(parent: TraceContext | undefined): Context {
  return parent ? trace.setSpanContext(ROOT_CONTEXT, remote(parent)) : ROOT_CONTEXT;
}

function remote({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

async function within(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((passed) => (timer = setTimeout(passed, limitMs)));
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
