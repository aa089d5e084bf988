import { createHash } from 'node:crypto';
import type { JobQueues } from './jobs/job-queues';

/** Has a worker ask a partner what it is and by which keys it signs; once, however many want to know. */
export async function askPartner(queues: JobQueues, hostKey: string): Promise<void> {
  const id = `discover-${createHash('sha256').update(hostKey).digest('hex').slice(0, 32)}`;
  await queues.add('discovery', [{ id, job: { v: 1, hostKey } }]);
}
