#!/usr/bin/env node
// Sends mutated requests to every endpoint of a gateway as somebody without an account (test/fuzz).
//   node scripts/fuzz.mjs [--requests N] [--seed S]
// The last line is `N requests, N endpoints, seed S, N findings`; findings are printed above it and make exit code 1.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const DEFAULT_REQUESTS = '110000';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = values.requests ?? DEFAULT_REQUESTS;
const seed = values.seed ?? String(Date.now() % 1_000_000);
if (![requests, seed].every((number) => /^\d{1,9}$/.test(number)))
  throw new Error('--requests and --seed are numbers');

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-fuzz-'));
const file = join(directory, 'report.json');
try {
  // NestJS is published as ES modules only, which Jest loads under this flag alone.
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
  const report = JSON.parse(readFileSync(file, 'utf8'));
  for (const finding of report.findings) console.log(`finding: ${finding}`);
  console.log(`statuses: ${JSON.stringify(report.statuses)}`);
  const { endpoints, findings } = report;
  console.log(
    `${report.requests} requests, ${endpoints} endpoints, seed ${seed}, ${findings.length} findings`,
  );
  if (findings.length > 0 || run.status !== 0) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
