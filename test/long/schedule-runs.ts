import { Redis } from 'ioredis';
import type { TestRedis } from '../../libs/testing/src/rigs/redis-server';

/** The place where the queue library records events of jobs. */
const EVENTS = 'drawbridge:schedules:events';

/**
 * Number of begins of each scheduled run, by the run's id (`repeat:<schedule>:<time>`), as far back as the queue
 * remembers.
 */
export async function scheduleRuns({ url }: TestRedis): Promise<ReadonlyMap<string, number>> {
  const client = new Redis(url);
  const events = await client.xrange(EVENTS, '-', '+').finally(() => client.disconnect());
  const runs = new Map<string, number>();
  for (const [, fields] of events) {
    const event = Object.fromEntries(
      Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]]),
    ) as { event: string; jobId: string };
    if (event.event === 'active') runs.set(event.jobId, (runs.get(event.jobId) ?? 0) + 1);
  }
  return runs;
}
