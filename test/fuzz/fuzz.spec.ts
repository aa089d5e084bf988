import { writeFileSync } from 'node:fs';
import { fuzz } from './fuzz-run';

/** `npm run fuzz` says how many, with which seed, and where it wants to be told. */
const { FUZZ_REQUESTS, FUZZ_SEED, FUZZ_REPORT } = process.env;
const SHORT_RUN = 3000;
const HOURS_MS = 4 * 3_600_000;

it(
  'mutated requests of anonymous callers are answered, change nothing and leave nothing behind',
  async () => {
    const seed = Number(FUZZ_SEED ?? 1);
    const report = await fuzz(Number(FUZZ_REQUESTS ?? SHORT_RUN), seed);
    if (FUZZ_REPORT !== undefined) writeFileSync(FUZZ_REPORT, JSON.stringify(report));
    expect(report.findings).toEqual([]);
    expect(report.endpoints).toBeGreaterThan(80);
    // Nothing is found where everything is refused at the door.
    const answered = ['200', '201', '207'].reduce((sum, status) => sum + (report.statuses[status] ?? 0), 0);
    expect(answered).toBeGreaterThan(report.requests / 20);
  },
  HOURS_MS,
);
