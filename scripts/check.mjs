// `npm test`: all checks of the tree, with a total as the last line.
//   node scripts/check.mjs [--long]     --long adds the tests that take minutes
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STATIC_STEPS, runStatic } from './check/static-steps.mjs';
import { longSuites, SUITES } from './check/suites.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const total = { passed: 0, failures: [], skipped: [] };

function add(name, startedAt, { passed, failures, skipped }) {
  total.passed += passed;
  total.failures.push(...failures.map((failure) => `${name}: ${failure}`));
  total.skipped.push(...skipped);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const verdict = failures.length > 0 ? `${failures.length} FAILED` : 'ok';
  console.log(`${name.padEnd(20)} ${verdict} (${seconds} s)`);
}

async function runSteps() {
  for (const step of STATIC_STEPS) {
    const startedAt = performance.now();
    add(step.name, startedAt, await runStatic(step, root));
  }
}

async function runSuites(suites) {
  for (const suite of suites) {
    const startedAt = performance.now();
    add(suite.name, startedAt, await suite.run(root));
  }
}

// Tests of the product often wait for its database and schedules; checks of the tree use that time.
await Promise.all([runSteps(), runSuites(SUITES)]);
if (process.argv.includes('--long')) await runSuites(longSuites(root));

for (const { name, reason } of total.skipped) console.log(`skipped: ${name} (${reason})`);
// The output of a whole run is long; this list tells what to look for in it.
for (const name of total.failures) console.log(`failed: ${name}`);
console.log(`${total.passed} passed, ${total.failures.length} failed, ${total.skipped.length} skipped`);
if (total.failures.length > 0) process.exitCode = 1;
