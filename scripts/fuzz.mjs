#!/usr/bin/env node
// Sends mutated requests to every endpoint of a gateway, one half without an account, one half as users and partners, and some
// small requests that are hard to parse (test/fuzz).
//   node scripts/fuzz.mjs [--requests N] [--seed S]
// The last line is `seed S, N findings`; findings are printed above it and make exit code 1.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The number of requests in each half. */
const DEFAULT_REQUESTS = '110000';
const PARTS = ['anonymous', 'signed-in', 'bombs'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = values.requests ?? DEFAULT_REQUESTS;
const seed = values.seed ?? String(Date.now() % 1_000_000);
if (![requests, seed].every((number) => /^\d{1,9}$/.test(number)))
  throw new Error('--requests and --seed are numbers');

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-fuzz-'));
const file = join(directory, 'report.json');
try {
  // NestJS is published only as ES modules; Jest loads them only with this flag.
  const flags = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/.bin/jest'), '--forceExit', 'test/fuzz/fuzz.spec'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${flags}`.trim(),
        ...{ FUZZ_REQUESTS: requests, FUZZ_SEED: seed, FUZZ_REPORT: file },
      },
    },
  );
  let findings = 0;
  for (const part of PARTS) {
    const report = JSON.parse(readFileSync(`${file}.${part}`, 'utf8'));
    findings += report.findings.length;
    for (const finding of report.findings) console.log(`finding: ${finding}`);
    const { requests, endpoints, statuses, bombs, longestPauseMs } = report;
    if (bombs === undefined)
      console.log(
        `${part}: ${requests} requests, ${endpoints} endpoints, statuses ${JSON.stringify(statuses)}`,
      );
    else console.log(`${part}: ${bombs} requests, longest pause of the event loop ${longestPauseMs} ms`);
  }
  console.log(`seed ${seed}, ${findings} findings`);
  if (findings > 0 || run.status !== 0) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
