import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const RESULTS = 'node_modules/.cache/check';
const LONGEST_JEST_MS = 60 * 60_000;
const NOTHING_RAN = { passed: 0, failed: 1, skipped: [] };

/** Suites that run the product. Each resolves to `{passed, failed, skipped: [{name, reason}]}`. */
export const SUITES = [
  { name: 'jest', run: (root) => runJest(root) },
  { name: 'conformance', run: runConformance },
];

/** Suites that take minutes. */
export const LONG_SUITES = [
  { name: 'long model runs', run: (root) => runJest(root, ['test/sharing/model'], { MODEL_RUNS: 'full' }) },
  {
    name: 'federation faults',
    run: (root) => runJest(root, ['test/long/federation-faults'], { FAULT_RUNS: 'full' }),
  },
  { name: 'replicas', run: (root) => runJest(root, ['test/long/replicas'], { REPLICA_RUNS: 'full' }) },
  {
    name: 'backup under load',
    run: (root) => runJest(root, ['test/long/backup-under-load'], { BACKUP_RUNS: 'full' }),
  },
  {
    name: 'upgrade under load',
    run: (root) => runJest(root, ['test/long/upgrade-under-load'], { UPGRADE_RUNS: 'full' }),
  },
  {
    name: 'namespaces',
    run: (root) => runJest(root, ['test/long/namespaces'], { NAMESPACE_RUNS: 'full' }),
  },
  { name: 'large file', run: (root) => runJest(root, ['test/long/large-file'], { LARGE_FILE: 'full' }) },
  {
    name: 'unfinished bodies',
    run: (root) => runJest(root, ['test/long/unfinished-bodies'], { BODY_RUNS: 'full' }),
  },
  { name: 'fresh clone', run: runFreshClone },
];

/** @returns {Promise<number | null>} the exit code; null where it was ended */
function runNode(root, args, { environment = {}, output = 'inherit', timeout } = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', output, 'inherit'],
    env: { ...process.env, ...environment },
    timeout,
  });
  return new Promise((done) => child.once('close', done));
}

/** A path for results of this run; one of an earlier run never passes for it. */
function resultFile(root, name) {
  const file = join(root, RESULTS, name);
  mkdirSync(join(root, RESULTS), { recursive: true });
  rmSync(file, { force: true });
  return file;
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param only parts of paths; all specs when there are none */
async function runJest(root, only = [], environment = {}) {
  const file = resultFile(root, 'jest.json');
  // A gateway that a failed spec left running must not keep the total from being told.
  // Specs wait for their database and their schedules most of the time: three workers keep two cores busy.
  const ending = ['--forceExit', '--maxWorkers=3', '--workerIdleMemoryLimit=1GB'];
  const options = ['--ci', '--json', `--outputFile=${file}`, '--silent=false', ...ending];
  // NestJS is published as ES modules only, which Jest loads under this flag alone.
  const flags = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`;
  const exitCode = await runNode(root, ['node_modules/.bin/jest', ...options, ...only], {
    environment: { ...environment, NODE_OPTIONS: flags.trim() },
    // The results on standard output are in the file too.
    output: 'ignore',
    timeout: LONGEST_JEST_MS,
  });
  const results = readResults(file);
  return results === undefined ? NOTHING_RAN : countJest(root, results, exitCode, only);
}

function countJest(root, results, exitCode, only) {
  const ran = new Set(results.testResults.map((suite) => suite.name));
  const wanted = (spec) => only.length === 0 || only.some((part) => spec.includes(part));
  const missing = specsOf(root).filter((spec) => wanted(spec) && !ran.has(spec));
  for (const spec of missing) console.log(`did not run: ${spec}`);
  const skipped = results.testResults.flatMap((suite) =>
    suite.assertionResults
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map((test) => ({ name: test.fullName, reason: `${test.status} in ${suite.name}` })),
  );
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + missing.length;
  // Jest also fails for what is no test: a teardown that threw.
  return { passed: results.numPassedTests, failed: failed || Number(exitCode !== 0), skipped };
}

function specsOf(root) {
  return ['apps', 'libs', 'test'].flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.spec.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

async function runConformance(root) {
  const file = resultFile(root, 'conformance.json');
  const exitCode = await runNode(root, ['scripts/conformance.mjs', '--json', file]);
  const results = readResults(file);
  if (!results?.length) return NOTHING_RAN;
  const failed = results.filter(({ result }) => result === 'failed').length;
  const skipped = results
    .filter(({ result }) => result === 'skipped')
    .map(({ mode, id, detail }) => ({ name: `${mode} ${id}`, reason: detail || 'no reason given' }));
  const passed = results.length - failed - skipped.length;
  return { passed, failed: failed || Number(exitCode !== 0), skipped };
}

async function runFreshClone(root) {
  const exitCode = await runNode(root, ['scripts/fresh-clone.mjs']);
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: [] } : NOTHING_RAN;
}
