import type { Config } from '../config/table';
import type { Logger } from '../logging';
import type { NewSpan, Span, Tracer } from './span';

/** Begins traces if a collector is configured. `inSpan` adds the steps of a trace. */
export class Tracing {
  /** Records nothing. */
  static readonly off = new Tracing(null);

  constructor(private readonly tracer: Tracer | null) {}

  get isOn(): boolean {
    return this.tracer !== null;
  }

  /** @returns null without tracing */
  start(span: NewSpan): Span | null {
    return this.tracer?.start(span) ?? null;
  }

  /** Sends recorded spans, for at most a few seconds; an absent collector loses them. */
  async close(): Promise<void> {
    await this.tracer?.close();
  }
}

/** @param service name of the process in traces, unless OTEL_SERVICE_NAME sets another */
export async function openTracing(config: Config, logger: Logger, service: string): Promise<Tracing> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return Tracing.off;
  // Loaded only if needed, because it takes some 20 MB and a tenth of a second.
  const { openTelemetry } = await import('./sdk/open-telemetry.js');
  return new Tracing(openTelemetry({ config, logger, service }));
}
