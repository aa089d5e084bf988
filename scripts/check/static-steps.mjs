import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Checks that read the tree without running it, the longest first; each counts as one test. */
export const STATIC_STEPS = [
  { name: 'lint', command: ['node_modules/.bin/oxlint'] },
  { name: 'lint of the pages', command: ['node_modules/.bin/eslint', 'apps/web/client'] },
  { name: 'format', command: ['node_modules/.bin/oxfmt', '--check', '.'] },
  // The compiler of the build checks the types too; this one takes half of the time (ADR 0085).
  {
    name: 'types',
    command: ['node_modules/.bin/tsgo', '-p', 'tsconfig.json'],
  },
  {
    name: 'types of the pages',
    command: ['node_modules/.bin/vue-tsc', '-p', 'apps/web/client/tsconfig.json'],
  },
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
  { name: 'unused code', command: ['node_modules/.bin/knip', '--no-progress'] },
  { name: 'generated files', command: ['scripts/generate.mjs', '--check'] },
];

/**
 * A linter builds large trees and keeps them. A young generation of the usual size is collected too often, which costs a tenth of the
 * time.
 */
const YOUNG_GENERATION = '--max-semi-space-size=64';

/**
 * Runs one check; its output is shown only if it fails.
 * @returns {Promise<{passed: number, failures: string[], skipped: []}>}
 */
export function runStatic({ command: [program, ...args] }, root) {
  const child = spawn(process.execPath, [YOUNG_GENERATION, join(root, program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  return new Promise((done) => {
    child.once('close', (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(said));
      done({ passed: Number(code === 0), failures: code === 0 ? [] : [`exit code ${code}`], skipped: [] });
    });
  });
}
