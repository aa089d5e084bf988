import { Unavailable } from '#platform';
import type { JobQueues, NewJob } from './job-queues';
import type { QueueName } from './queues';

/** An existing job of a waiting row is done within this time; after it, the queue has lost the job. */
export const LOST_AFTER_SECONDS = 60;
/** Lost jobs that are added again at once. */
export const LOST_BATCH = 100;

/** Adds the jobs of rows that wait for a worker. @returns false if the queue is away: their schedule adds the jobs later */
export async function addJobsOfRows<Q extends QueueName>(
  queues: Pick<JobQueues, 'add'>,
  queue: Q,
  jobs: readonly NewJob<Q>[],
): Promise<boolean> {
  try {
    await queues.add(queue, jobs);
    return true;
  } catch (error) {
    if (error instanceof Unavailable) return false;
    throw error;
  }
}
