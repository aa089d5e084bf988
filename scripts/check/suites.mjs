import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const RESULTS = 'node_modules/.cache/check';
const LONGEST_JEST_MS = 60 * 60_000;
/** Specs wait for their database and schedules half of the time, so four workers use two processors fully. */
const WORKERS = 4;
const NOTHING_RAN = { passed: 0, failures: ['nothing ran'], skipped: [] };

/** Tests that take minutes: each runs alone, and only in `npm run test:long`. */
const LONG_STORIES = 'test/long/';
const FULL = { LONG_RUNS: 'full' };

/** Import of a spec that has a short form, for `npm test`, and a full one. */
const HAS_FULL_FORM = "/full-form'";

/** Suites that run the product. Each resolves to `{passed, failures: [name], skipped: [{name, reason}]}`. */
export const SUITES = [
  { name: 'jest', run: (root) => runJest(root, (spec) => !spec.includes(LONG_STORIES)) },
  { name: 'conformance', run: runConformance },
];

/** Suites that take minutes. */
export const longSuites = (root) => [
  {
    name: 'full forms',
    run: () => runJest(root, (spec) => !spec.includes(LONG_STORIES) && hasFullForm(spec), FULL),
  },
  {
    name: 'fuzz',
    run: () => runJest(root, (spec) => spec.includes('test/fuzz/fuzz.spec'), { FUZZ_REQUESTS: '10000' }),
  },
  ...specsOf(root)
    .filter((spec) => spec.includes(LONG_STORIES))
    .map((story) => ({
      name: basename(story, '.spec.ts'),
      run: () => runJest(root, (spec) => spec === story, FULL),
    })),
  { name: 'fresh clone', run: runFreshClone },
];

const hasFullForm = (spec) => readFileSync(spec, 'utf8').includes(HAS_FULL_FORM);

/** @returns {Promise<number | null>} the exit code; null if a signal ended it */
function runNode(root, args, { environment = {}, output = 'inherit', timeout } = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', output, 'inherit'],
    env: { ...process.env, ...environment },
    timeout,
  });
  return new Promise((done) => child.once('close', done));
}

/** A path for results of this run, so that results of an earlier run are never read. */
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

/** @param wanted paths of the specs to run */
async function runJest(root, wanted, environment = {}) {
  const file = resultFile(root, 'jest.json');
  const specs = specsOf(root).filter(wanted);
  // A gateway that a failed spec left running must not prevent the total.
  const ending = ['--forceExit', `--maxWorkers=${WORKERS}`, '--workerIdleMemoryLimit=1GB'];
  const options = ['--ci', '--json', `--outputFile=${file}`, '--silent=false', ...ending];
  // NestJS is published only as ES modules; Jest loads them only with this flag. The collection of a small young generation took a sixth of the time.
  const flags = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning --max-semi-space-size=32`;
  const exitCode = await runNode(root, ['node_modules/.bin/jest', ...options, '--runTestsByPath', ...specs], {
    environment: { ...environment, NODE_OPTIONS: flags.trim() },
    // The file has the results of the standard output too.
    output: 'ignore',
    timeout: LONGEST_JEST_MS,
  });
  const results = readResults(file);
  return results === undefined ? NOTHING_RAN : countJest(specs, results, exitCode);
}

function countJest(specs, results, exitCode) {
  const ran = new Set(results.testResults.map((suite) => suite.name));
  const missing = specs.filter((spec) => !ran.has(spec));
  const skipped = results.testResults.flatMap((suite) =>
    suite.assertionResults
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map((test) => ({ name: test.fullName, reason: `${test.status} in ${suite.name}` })),
  );
  const failures = [
    ...missing.map((spec) => `${spec} did not run`),
    ...results.testResults.flatMap(failuresOf),
  ];
  // Jest can fail outside of tests, such as in a teardown.
  return { passed: results.numPassedTests, failures: orExitCode(failures, exitCode), skipped };
}

/** The failures; the exit code, where a program failed without naming any. */
function orExitCode(failures, exitCode) {
  return failures.length === 0 && exitCode !== 0 ? [`exit code ${exitCode}`] : failures;
}

/** The failed tests of one spec; the spec itself, where it failed outside of its tests. */
function failuresOf({ name: spec, status, assertionResults }) {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0 && status === 'failed') return [spec];
  return tests.map((test) => `${spec}: ${test.fullName}`);
}

/** Paths of all specs. */
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
  const failures = results.filter(({ result }) => result === 'failed').map(({ mode, id }) => `${mode} ${id}`);
  const skipped = results
    .filter(({ result }) => result === 'skipped')
    .map(({ mode, id, detail }) => ({ name: `${mode} ${id}`, reason: detail || 'no reason given' }));
  const passed = results.length - failures.length - skipped.length;
  return { passed, failures: orExitCode(failures, exitCode), skipped };
}

async function runFreshClone(root) {
  const exitCode = await runNode(root, ['scripts/fresh-clone.mjs']);
  return { passed: Number(exitCode === 0), failures: orExitCode([], exitCode), skipped: [] };
}
