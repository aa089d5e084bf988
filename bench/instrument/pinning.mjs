// Gives each process of a measurement separate processors, if the machine has enough of them.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/**
 * The load generator and the measured server have one processor each, Postgres has two. With fewer processors nothing is pinned: processes would
 * wait while others idle.
 */
const LEAST = 4;

/**
 * @param {number} processors number of processors
 * @returns {{load: string, servers: string, postgres: string} | undefined} lists of processors as `taskset` reads them;
 *   both servers have the same, because they are measured in turn
 */
export function pinningPlan(processors) {
  if (processors < LEAST) return undefined;
  return {
    load: '0',
    servers: processors > LEAST ? '1-2' : '1',
    postgres: `${processors > LEAST ? 3 : 2}-${processors - 1}`,
  };
}

function pin(pid, list) {
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', list, String(pid)], {
    encoding: 'utf8',
  });
  if (status !== 0)
    console.error(`process ${pid} is not pinned to ${list}: ${stderr?.trim() || 'no taskset'}`);
}

const parentOf = (pid) => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]);
  } catch {
    return undefined;
  }
};

/** The postmaster of a cluster and all its processes; new ones inherit the setting. */
export function postgresProcesses(clusterDirectory) {
  const postmaster = Number(readFileSync(join(clusterDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  return [postmaster, ...others.map(Number)];
}

/** @param {{servers: number[], clusters: string[]}} processes @returns whether they are pinned */
export function pinProcesses({ servers, clusters }) {
  const plan = pinningPlan(availableParallelism());
  if (plan === undefined) return false;
  pin(process.pid, plan.load);
  for (const pid of servers) pin(pid, plan.servers);
  for (const pid of clusters.flatMap(postgresProcesses)) pin(pid, plan.postgres);
  return true;
}
