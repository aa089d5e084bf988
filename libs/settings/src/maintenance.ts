import { Unavailable } from '#platform';
import type { CachedPolicy } from './cached-policy';

const RETRY_AFTER_SECONDS = 120;

/** The instance is in maintenance; every edge answers 503 with Retry-After. */
export class InMaintenance extends Unavailable {
  constructor() {
    super('in maintenance', RETRY_AFTER_SECONDS);
  }
}

/** Synchronous if the policy is in memory. @throws InMaintenance */
export function assertInService(source: Pick<CachedPolicy, 'peek' | 'current'>): true | Promise<true> {
  const policy = source.peek();
  return policy ? judge(policy.maintenance) : source.current().then(({ maintenance }) => judge(maintenance));
}

function judge(maintenance: boolean): true {
  if (maintenance) throw new InMaintenance();
  return true;
}
