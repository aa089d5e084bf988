// Runs before `npm start` and `npm test`, on the machine's Node (20 or newer) and without any package: installs missing
// packages, then builds changed sources. Without work it prints nothing and takes about 100 ms.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './prepare/build.mjs';
import { install, isInstalled } from './prepare/install.mjs';
import { withLock } from './prepare/lock.mjs';
import { PrepareError } from './prepare/prepare-error.mjs';

const OLDEST_NODE = 20;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function prepare() {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new PrepareError(
      `Node.js ${OLDEST_NODE} or newer is needed, and this is ${process.versions.node}.`,
    );
  }
  if (isInstalled(root) && isBuilt(root)) return;
  mkdirSync(join(root, 'dist'), { recursive: true });
  await withLock(join(root, 'dist/.prepare.lock'), async () => {
    if (!isInstalled(root)) await install(root);
    if (!isBuilt(root)) await build(root);
  });
}

prepare().catch((error) => {
  const known = error instanceof PrepareError || error.code === 'EACCES' || error.code === 'ENOSPC';
  console.error(known ? error.message : error);
  process.exitCode = 1;
});
