import { createHash } from 'node:crypto';
import type { JobQueues } from './jobs/job-queues';

/**
 * Has a worker ask a partner what it is and by which keys it signs; once, however many want to know.
 * @param unlessKnown leaves it at what is known, where it holds by the time of the asking
 */
export async function askPartner(queues: JobQueues, hostKey: string, unlessKnown: boolean): Promise<void> {
  const hash = createHash('sha256').update(hostKey).digest('hex').slice(0, 32);
  const id = `${unlessKnown ? 'know' : 'discover'}-${hash}`;
  await queues.add('discovery', [{ id, job: { v: 1, hostKey, unlessKnown } }]);
}
