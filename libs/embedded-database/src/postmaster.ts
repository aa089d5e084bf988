import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Binaries } from './binaries';
import { ownDirectoryArgument, type Cluster } from './cluster';
import { SOCKET_PORT } from './socket-address';

/** Settings of postgresql.conf by name. */
export type ServerSettings = Readonly<Record<string, string>>;

const SETTINGS: ServerSettings = {
  listen_addresses: '',
  unix_socket_directories: '.',
  port: String(SOCKET_PORT),
  // Enough for the largest DATABASE_POOL, the change feed, the owner's connection and the command line.
  max_connections: '220',
  shared_buffers: '128MB',
  shared_preload_libraries: 'pg_stat_statements',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The gateway logs refused statements, so this log contains only messages of the server itself.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

const LARGEST_LOG_BYTES = 5 * 1024 * 1024;
const POLL_MS = 20;
const SMART_MS = 3_000;
const FAST_MS = 60_000;
const LAST_MOMENT_MS = 1_000;

/**
 * Starts Postgres in a separate session: signals from a terminal to the gateway's process group (Ctrl-C) do not reach
 * it, and the gateway stops it at its own end.
 */
export function startPostmaster(
  cluster: Cluster,
  binaries: Binaries,
  overrides: ServerSettings,
): ChildProcess {
  removeStalePidFile(cluster);
  const log = openLog(cluster);
  const settings = Object.entries({ ...SETTINGS, ...overrides }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(binaries.postgres, ['-D', ownDirectoryArgument(cluster), ...settings], {
    ...cluster.account,
    cwd: cluster.directory,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    detached: true,
    stdio: ['ignore', log, log],
  });
  // A failure to start shows in the exit; without a listener it would be thrown.
  child.on('error', () => undefined);
  closeSync(log);
  child.unref();
  return child;
}

function openLog(cluster: Cluster): number {
  if (existsSync(cluster.logFile) && statSync(cluster.logFile).size > LARGEST_LOG_BYTES) {
    renameSync(cluster.logFile, `${cluster.logFile}.1`);
  }
  const log = openSync(cluster.logFile, 'a', 0o600);
  if (cluster.account) chownSync(cluster.logFile, cluster.account.uid, cluster.account.gid);
  return log;
}

/** The server's last log line, for a sentence that says why it does not run. */
export function lastLogLine(cluster: Cluster): string {
  const lines = existsSync(cluster.logFile) ? readFileSync(cluster.logFile, 'utf8').trim().split('\n') : [];
  const telling = lines.slice(-8).find((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? '';
  return telling.replace(/^\S+ \S+ UTC \[\d+\] /, '');
}

/**
 * Whether the server refused to start because an earlier one is not quite gone: its process after it was killed, or a session that has not
 * noticed that.
 */
export const isEarlierServerEnding = (cluster: Cluster): boolean =>
  /"postmaster.pid" already exists|pre-existing shared memory block/.test(lastLogLine(cluster));

/** The process id in the cluster's pid file. */
function postmasterPid(cluster: Pick<Cluster, 'directory'>): number | undefined {
  try {
    const pid = Number(readFileSync(join(cluster.directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process in the cluster's pid file is a running Postgres. */
export function isRunning(directory: string): boolean {
  const pid = postmasterPid({ directory });
  return pid !== undefined && isAlive(pid) && programName(pid).includes('postgres');
}

/**
 * After a crash of the machine another program may have the process id of the old server, and then Postgres would
 * refuse to start. A file with the id of a running Postgres stays: then Postgres itself decides.
 */
function removeStalePidFile(cluster: Cluster): void {
  const pid = postmasterPid(cluster);
  if (pid === undefined || !isAlive(pid) || programName(pid).includes('postgres')) return;
  rmSync(join(cluster.directory, 'postmaster.pid'), { force: true });
}

function programName(pid: number): string {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    // It ended just now, and Postgres will notice that, too.
    return 'postgres';
  }
}

function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Asks the server to stop: when its clients have gone, or at once if `hurry` is set. It accepts no new ones. */
export function beginStop(cluster: Cluster, hurry: boolean): number | undefined {
  const pid = postmasterPid(cluster);
  if (pid !== undefined) signal(pid, hurry ? 'SIGINT' : 'SIGTERM');
  return pid;
}

/** Waits until the server has ended, and sends stronger signals if that takes long. */
export async function finishStop(cluster: Cluster, pid: number): Promise<void> {
  const hasLetGo = (): boolean => postmasterPid(cluster) !== pid || !isAlive(pid);
  if (!(await comesTrue(hasLetGo, SMART_MS))) {
    signal(pid, 'SIGINT');
    if (!(await comesTrue(hasLetGo, FAST_MS))) {
      signal(pid, 'SIGQUIT');
      await comesTrue(hasLetGo, FAST_MS);
    }
  }
  // The pid file is removed last. The process itself may stay a zombie if nobody reaps orphans.
  await comesTrue(() => !isAlive(pid), LAST_MOMENT_MS);
}

async function comesTrue(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}
