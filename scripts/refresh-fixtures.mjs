#!/usr/bin/env node
// Copies the reference material for tests into the repository, unchanged: the conformance kit, the recorded exchanges
// with deployed servers, and the test vectors of signatures. Tests read only these copies.
//   node scripts/refresh-fixtures.mjs [directory of the reference material; ../shared when absent]
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const source = resolve(process.argv[2] ?? join(root, '../shared'));

/** Copies from the reference material. A group of captures is added here when its feature is built. */
const COPIES = [
  { from: 'conformance', to: 'test/conformance' },
  ...['basic', 'provisioning', 'shares', 'policy', 'sharees', 'misc', 'federation'].map((group) => ({
    from: `captures/owncloud/${group}`,
    to: `test/fixtures/captures/owncloud/${group}`,
  })),
  { from: 'captures/opencloud', to: 'test/fixtures/captures/opencloud' },
  { from: 'captures/live', to: 'test/fixtures/captures/live' },
  { from: 'reference/signature-vectors.json', to: 'test/fixtures/signature-vectors.json' },
];

/** The files of a directory, or the file itself. */
function filesBelow(directory) {
  if (statSync(directory).isFile()) return [directory];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Makes `to` a copy of `from`: removes files that are missing in `from`. Returns the number of files. */
function mirror(from, to) {
  rmSync(to, { recursive: true, force: true });
  const files = filesBelow(from);
  for (const file of files) {
    const target = join(to, file.slice(from.length + 1));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
    chmodSync(target, 0o644);
  }
  return files.length;
}

const absent = COPIES.filter(({ from }) => !existsSync(join(source, from)));
if (absent.length > 0) {
  console.error(`${source} lacks ${absent.map(({ from }) => from).join(', ')}: nothing was changed.`);
  process.exit(1);
}
for (const { from, to } of COPIES) console.log(`${to}: ${mirror(join(source, from), join(root, to))} files`);
