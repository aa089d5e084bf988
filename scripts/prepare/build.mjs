import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PrepareError } from './prepare-error.mjs';
import { runProgram } from './run-program.mjs';

const SOURCE_DIRECTORIES = ['apps', 'libs'];
/** TypeScript, and the other sources of the pages. */
const SOURCES = /\.(?:ts|mts|vue|css|html|svg)$/;
const SINGLE_SOURCES = ['tsconfig.build.json', 'tsconfig.base.json', 'package-lock.json'];
const stampOf = (root) => join(root, 'dist/.built');

/** Whether dist was built from the present sources (by path, size and time). */
export function isBuilt(root) {
  return existsSync(stampOf(root)) && readFileSync(stampOf(root), 'utf8') === fingerprint(root);
}

export async function build(root) {
  console.log('Building ...');
  const before = fingerprint(root);
  rmSync(stampOf(root), { force: true });
  const node = join(root, 'node_modules/.bin/node');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { code, output } = await runProgram(
    node,
    [compiler, '-p', 'tsconfig.build.json', '--pretty', 'false'],
    {
      cwd: root,
    },
  );
  if (code !== 0) throw new PrepareError(`The sources do not compile:\n${output.trim()}`);
  await buildPages(root, node);
  removeOrphans(root);
  writeFileSync(stampOf(root), before);
}

/** Builds the pages that run in browsers, into dist/web-client. */
async function buildPages(root, node) {
  const bundler = join(root, 'node_modules/vite/bin/vite.js');
  const args = [bundler, 'build', '--config', 'apps/web/client/vite.config.mts', '--logLevel', 'warn'];
  const { code, output } = await runProgram(node, args, { cwd: root });
  if (code !== 0) throw new PrepareError(`The pages cannot be built:\n${output.trim()}`);
}

function fingerprint(root) {
  const hash = createHash('sha256');
  const files = SOURCE_DIRECTORIES.flatMap((directory) => sourcesBelow(join(root, directory)));
  for (const file of [...SINGLE_SOURCES.map((name) => join(root, name)), ...files]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function sourcesBelow(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCES.test(entry.name) && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The compiler keeps the output of a deleted source, which would still be loaded. */
function removeOrphans(root) {
  for (const directory of SOURCE_DIRECTORIES) {
    const built = join(root, 'dist', directory);
    if (!existsSync(built)) continue;
    for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const output = join(entry.parentPath, entry.name);
      const source = join(root, relative(join(root, 'dist'), output)).replace(/\.js(\.map)?$/, '.ts');
      if (!existsSync(source)) rmSync(output);
    }
  }
}
