/** Whether each spec runs in its full form, as in `npm run test:long`. */
export const isFullForm = process.env.LONG_RUNS === 'full';

/** Seed of this run, which is printed; MODEL_SEED repeats it. */
export function modelSeed(): number {
  const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
  process.stderr.write(`model-based test: MODEL_SEED=${seed}\n`);
  return seed;
}

/** Number of runs of a model or a property: `usual` in the short form, `full` in the full one. */
export function modelRuns(usual: number, full: number): number {
  return isFullForm ? full : usual;
}

/**
 * `it` for a test of the full form only. The short form does not register it, so it counts neither as passed nor as
 * skipped.
 */
export const itInFullForm: Pick<jest.It, 'each'> & ((...test: Parameters<jest.It>) => void) = isFullForm
  ? it
  : Object.assign(() => undefined, { each: () => () => undefined });
