// A new user of the project: an account of this machine with an empty home, a clone, and git, Node.js, npm and curl.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, copyFileSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repository, temporaryDirectory } from '../gateway-process.mjs';

const outsideOf = (directory) => !directory.includes('node_modules');

/** Only the variables of a login shell, and this machine's settings for its package registry. */
function environmentOf(directory) {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(LANG|LC_.*|TZ|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: process.env.PATH.split(delimiter).filter(outsideOf).join(delimiter),
    HOME: join(directory, 'home'),
    npm_config_userconfig: join(directory, 'npmrc'),
    npm_config_cache: join(directory, 'npm-cache'),
  };
}

/**
 * @param {string} name of an account of this machine
 * @param {string | undefined} npmCache a directory of downloaded packages, which is copied to save time
 */
export function invite(name, npmCache) {
  const directory = temporaryDirectory(`fresh-${name}`);
  const clone = join(directory, 'drawbridge');
  mkdirSync(join(directory, 'home'));
  execFileSync('git', ['clone', '--quiet', `file://${repository}`, clone]);
  const registryConfiguration = process.env.npm_config_userconfig ?? join(homedir(), '.npmrc');
  if (existsSync(registryConfiguration)) copyFileSync(registryConfiguration, join(directory, 'npmrc'));
  if (npmCache !== undefined) execFileSync('cp', ['-r', npmCache, join(directory, 'npm-cache')]);
  execFileSync('chown', ['-R', `${name}:`, directory]);
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(execFileSync('id', [option, name], { encoding: 'utf8' })),
  );
  const identity = process.getuid() === 0 ? { uid, gid } : {};
  const options = { cwd: clone, env: environmentOf(directory), ...identity };
  return {
    name,
    directory,
    clone,
    npmCache: join(directory, 'npm-cache'),
    /** Starts a command line in a separate process group. */
    start: (commandLine) =>
      spawn('sh', ['-c', `exec ${commandLine}`], {
        ...options,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    /** Runs a script and returns its output. @throws if one of its commands fails */
    run: (script) =>
      execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], { ...options, encoding: 'utf8' }),
    /** Running processes that were started from the clone. */
    leftProcesses: () => processesBelow(directory),
  };
}

function processesBelow(directory) {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const where = readlinkSync(`/proc/${pid}/cwd`);
        return command.includes(directory) || where.startsWith(directory) ? [`${pid} ${command}`] : [];
      } catch {
        return []; // it ended in the meantime
      }
    });
}
