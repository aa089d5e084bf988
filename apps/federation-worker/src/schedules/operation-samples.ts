import type { OperationSampleRepository } from '#persistence';
import type { Schedule } from '#queue';

const EVERY_MS = 60_000;
/** A month of minutes: at most some 45,000 rows. */
const KEPT_DAYS = 31;

/** Stores the figures of deliveries once a minute, for the plots of operators. */
export function operationSamples(samples: OperationSampleRepository): Schedule {
  return { name: 'sample-operation', everyMs: EVERY_MS, run: () => samples.take(KEPT_DAYS) };
}
