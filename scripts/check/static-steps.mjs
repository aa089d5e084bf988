import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Checks that read the tree without running it; each counts as one test. */
export const STATIC_STEPS = [
  { name: 'format', command: ['node_modules/.bin/prettier', '--check', '--log-level=warn', '.'] },
  {
    name: 'lint',
    command: ['node_modules/.bin/eslint', '--cache', '--cache-location', 'node_modules/.cache/eslint/', '.'],
  },
  {
    name: 'types',
    command: ['node_modules/.bin/tsc', '-p', 'tsconfig.json', '--noEmit', '--incremental', 'false'],
  },
  { name: 'types of tests', command: ['node_modules/.bin/tsc', '-p', 'tsconfig.test.json'] },
  {
    name: 'import rules',
    command: [
      'node_modules/.bin/depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err',
      'apps',
      'libs',
    ],
  },
  { name: 'generated files', command: ['scripts/generate.mjs', '--check'] },
];

/** Runs one check; what it prints is shown only when it fails. */
export function runStatic({ command: [program, ...args] }, root) {
  const run = spawnSync(process.execPath, [join(root, program), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.status === 0) return { passed: 1, failed: 0, skipped: [] };
  process.stdout.write(`${run.stdout}${run.stderr}`);
  return { passed: 0, failed: 1, skipped: [] };
}
