import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../logging';

type Done = Parameters<SpanExporter['export']>[1];

/** Result code of the SDK for success. */
const SUCCESS = 0;

/** An exporter that logs when the collector refuses spans, and when it accepts them again. */
export class ReportedSpanExporter implements SpanExporter {
  private isFailing = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: Logger,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    this.exporter.export(spans, (result) => {
      this.reportOutage(Number(result.code) === SUCCESS, result.error);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  /** Logged once per outage, with the status only, because answers of a collector may repeat our header. */
  private reportOutage(isTaken: boolean, error: Error | undefined): void {
    if (isTaken === !this.isFailing) return;
    this.isFailing = !isTaken;
    const { code } = (error ?? {}) as { code?: string | number };
    if (isTaken) this.logger.info({ subsystem: 'tracing' }, 'traces are taken again');
    else
      this.logger.warn({ subsystem: 'tracing', code }, 'traces are lost: the collector does not take them');
  }
}
