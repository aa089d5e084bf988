import { Injectable } from '@nestjs/common';
import { Metrics } from '#platform';
import { JobQueues, QUEUE_NAMES, type QueueName } from '#queue';

/** Metrics of the queues. They describe the instance, the same from every worker: take the maximum over workers, not the sum. */
@Injectable()
export class QueueMetrics {
  constructor(metrics: Metrics, queues: JobQueues) {
    metrics.gauge('queue_jobs', 'Jobs that wait, are under way or are put off', ['queue'], () =>
      ofEach((queue) => queues.backlog(queue)),
    );
    metrics.gauge(
      'queue_oldest_seconds',
      'For how long the oldest job has waited for a worker',
      ['queue'],
      () => ofEach((queue) => queues.oldest(queue)),
    );
  }
}

const ofEach = (read: (queue: QueueName) => Promise<number>) =>
  Promise.all(QUEUE_NAMES.map(async (queue) => ({ labels: { queue }, value: await read(queue) })));
