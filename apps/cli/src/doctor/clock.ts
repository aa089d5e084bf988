import { InstanceHealthRepository } from '#persistence';
import { failed, ok, warning, type Check, type Finding } from './finding';

const NOTICEABLE_MS = 2_000;
const HARMFUL_MS = 30_000;

/** Checks whether this machine and the database agree on the time. */
export const CLOCK_CHECK: Check = {
  name: 'clock',
  look: async (instance) => {
    const health = new InstanceHealthRepository(await instance.open());
    const before = Date.now();
    const { now } = await health.server();
    const here = (before + Date.now()) / 2;
    return [clockFinding('database', now.getTime() - here)];
  },
};

/** @param aheadMs difference of the other clock @param toleranceMs precision of the reading */
export function clockFinding(whose: string, aheadMs: number, toleranceMs = 0): Finding {
  const off = Math.max(0, Math.abs(aheadMs) - toleranceMs);
  const seen = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  const advice =
    'Let every machine take its time from the same servers (NTP): expiry, retries and signatures go by it.';
  if (off > HARMFUL_MS) return failed(whose, seen, advice);
  return off > NOTICEABLE_MS ? warning(whose, seen, advice) : ok(whose, 'the same time');
}
