import { createHash } from 'node:crypto';
import type { JobQueues } from './jobs/job-queues';

/**
 * Asks a worker to discover a partner and its keys; concurrent requests share one job.
 * @param unlessKnown skips the discovery if a valid result is stored when the job runs
 */
export async function askPartner(queues: JobQueues, hostKey: string, unlessKnown: boolean): Promise<void> {
  const hash = createHash('sha256').update(hostKey).digest('hex').slice(0, 32);
  const id = `${unlessKnown ? 'know' : 'discover'}-${hash}`;
  await queues.add('discovery', [{ id, job: { v: 1, hostKey, unlessKnown } }]);
}
