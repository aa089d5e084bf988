import { Injectable } from '@nestjs/common';
import type { OcsValue } from '#ocs/protocol';
import { DeliveryFiguresRepository, InstanceHealthRepository, OperationSampleRepository } from '#persistence';
import { JobQueues, QUEUE_NAMES } from '#queue';

/** Periods of the plots: their length, and the time per point. */
const SPANS = {
  hours: { seconds: 24 * 3600, spanSeconds: 300 },
  days: { seconds: 30 * 24 * 3600, spanSeconds: 3 * 3600 },
} as const;
export type PlotSpan = keyof typeof SPANS;
export const SPAN_NAMES = Object.keys(SPANS) as readonly PlotSpan[];
const MOST_WAITING = 10;

/** State of the instance, at a glance. */
@Injectable()
export class OperationOverview {
  constructor(
    private readonly figures: DeliveryFiguresRepository,
    private readonly health: InstanceHealthRepository,
    private readonly sampled: OperationSampleRepository,
    private readonly queues: JobQueues,
  ) {}

  async now(): Promise<OcsValue> {
    const { figures, health } = this;
    const [deliveries, failing, partners, waiting, server, processes, queues] = await Promise.all([
      figures.figures(),
      figures.failing(),
      figures.partners(),
      figures.waiting(MOST_WAITING),
      health.server(),
      health.processes(),
      this.backlogs(),
    ]);
    return {
      deliveries: { ...deliveries },
      failing: failing.map((one) => ({ ...one })),
      partners: partners.map((one) => ({ ...one })),
      waiting: waiting.map((one) => ({ ...one })),
      database: {
        version: server.version,
        connections: server.connections,
        maxConnections: server.maxConnections,
      },
      processes: processes.map(({ name, connections, since }) => ({
        name,
        connections,
        since: since.toISOString(),
      })),
      queues,
    };
  }

  /** Jobs in each queue; null for a queue that cannot be asked. */
  private backlogs() {
    return Promise.all(
      QUEUE_NAMES.map(async (name) => ({ name, jobs: await this.queues.backlog(name).catch(() => null) })),
    );
  }

  async samples(span: PlotSpan): Promise<OcsValue> {
    const { seconds, spanSeconds } = SPANS[span];
    const samples = await this.sampled.read(seconds, spanSeconds);
    return { seconds, spanSeconds, samples: samples.map((sample) => ({ ...sample })) };
  }
}
