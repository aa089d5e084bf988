// Builds another commit of this clone in a second directory.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../../scripts/gateway-process.mjs';

/** Outside of node_modules: the compiler ignores sources there, as those of packages. */
const BUILDS = join(tmpdir(), 'drawbridge-bench-builds');
const LOCK = 'package-lock.json';
const DONE = 'dist/.built-for-bench';

const run = (root, program, ...words) =>
  execFileSync(program, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 2 ** 30 });

function unpack(commit, root) {
  mkdirSync(root, { recursive: true });
  const archive = `${root}.tar`;
  run(repository, 'git', 'archive', '--output', archive, commit);
  run(root, 'tar', '-xf', archive);
  rmSync(archive);
}

/** Packages of this clone are used if the other commit has the same ones. */
function bringPackages(root) {
  const isSame = readFileSync(join(root, LOCK), 'utf8') === readFileSync(join(repository, LOCK), 'utf8');
  if (isSame) symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  else run(root, 'npm', 'ci', '--no-audit', '--no-fund');
}

/**
 * @param {string} name of a commit, such as a branch
 * @returns {{root: string, commit: string}} directory of the build; kept for later runs
 */
export function buildOf(name) {
  const git = (...words) => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short=10', `${name}^{commit}`);
  const root = join(BUILDS, commit);
  if (!existsSync(join(root, DONE))) {
    console.log(`building ${commit} in ${root}`);
    rmSync(root, { recursive: true, force: true });
    unpack(commit, root);
    bringPackages(root);
    run(root, 'npm', 'run', '--silent', 'build');
    writeFileSync(join(root, DONE), '');
  }
  return { root, commit };
}
