import { writeFileSync } from 'node:fs';
import { throwBombs } from './bomb-run';
import { fuzz, type FuzzReport } from './fuzz-run';

/** `npm run fuzz` sets the number of requests, the seed, and the file for the report. */
const { FUZZ_REQUESTS, FUZZ_SEED, FUZZ_REPORT } = process.env;
const SHORT_RUN = 300;
/** A pause of the event loop that other clients notice. Only `npm run fuzz` checks it, on a machine without other work. */
const LONGEST_PAUSE_MS = FUZZ_REPORT === undefined ? Infinity : 200;
const HOURS_MS = 4 * 3_600_000;

jest.setTimeout(HOURS_MS);

const seed = Number(FUZZ_SEED ?? 1);
const requests = Number(FUZZ_REQUESTS ?? SHORT_RUN);

/** Writes the result of one part of the run beside those of other parts. */
function report(part: string, found: object): void {
  if (FUZZ_REPORT !== undefined) writeFileSync(`${FUZZ_REPORT}.${part}`, JSON.stringify(found));
}

/** Checks that requests succeed, because requests that are refused before routing find nothing. */
function expectAnswers({ statuses, requests: sent }: FuzzReport): void {
  const answered = ['200', '201', '204', '207'].reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  expect(answered).toBeGreaterThan(sent / 20);
}

it('mutated requests of anonymous callers are answered, change nothing and leave nothing behind', async () => {
  const found = await fuzz(requests, seed, 'without an account');
  report('anonymous', found);
  expect(found.findings).toEqual([]);
  expect(found.endpoints).toBeGreaterThan(80);
  expectAnswers(found);
});

it('mutated requests of a user, a group administrator and a partner are answered, and reveal no secret', async () => {
  const found = await fuzz(requests, seed, 'signed in');
  report('signed-in', found);
  expect(found.findings).toEqual([]);
  expectAnswers(found);
});

it('small requests that are hard to parse are answered without a noticeable pause for others', async () => {
  const found = await throwBombs(seed, LONGEST_PAUSE_MS);
  report('bombs', found);
  expect(found.findings).toEqual([]);
  expect(found.bombs).toBeGreaterThan(200);
});
