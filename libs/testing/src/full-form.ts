/** Seed of this run, which is printed; MODEL_SEED repeats it. */
export function modelSeed(): number {
  const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
  process.stderr.write(`model-based test: MODEL_SEED=${seed}\n`);
  return seed;
}

/** Number of runs of a model or a property: `usual` in `npm test`, `full` with LONG_RUNS=full. */
export function modelRuns(usual: number, full: number): number {
  return process.env.LONG_RUNS === 'full' ? full : usual;
}
