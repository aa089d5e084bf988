import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** In seconds: from answers out of memory to transfers of files. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * One sample of a gauge that is read on request. Labels never contain raw values of a request, because each value
 * becomes a series.
 */
export interface Sample<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/**
 * Counters and measurements of this process in the format of Prometheus. Names begin with `drawbridge_`; those of the
 * process and of Node.js are the usual ones of prom-client.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests: Histogram<'method' | 'route' | 'status'>;

  constructor() {
    this.requests = new Histogram({
      name: 'drawbridge_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_BUCKETS,
      registers: [this.registry],
    });
  }

  /** Measures memory, processor, garbage collection and the delay of the event loop, at the cost of a timer. */
  measureProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param route from the server's route table, such as `/ocs/v1.php/cloud/users/:uid` */
  requestEnded(method: string, route: string, status: number, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `drawbridge_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** A histogram of durations in seconds. */
  durations<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Histogram<Label> {
    const registers = [this.registry];
    return new Histogram({
      name: `drawbridge_${name}`,
      help,
      labelNames,
      buckets: REQUEST_BUCKETS,
      registers,
    });
  }

  /** A gauge whose samples are read together with the metrics; if that fails, it has none. */
  gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void {
    new Gauge({
      name: `drawbridge_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        this.reset();
        const samples = await Promise.resolve()
          .then(read)
          .catch(() => []);
        for (const { labels, value } of samples) this.set(labels, value);
      },
    });
  }

  /** All of it as text. */
  render(): Promise<string> {
    return this.registry.metrics();
  }
}
