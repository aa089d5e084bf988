// Processor time of processes (milliseconds, user and system) until now.
import { readFileSync } from 'node:fs';
import { postgresProcesses } from './pinning.mjs';

const TICKS_PER_SECOND = 100;

/** Processor time of a process until now, in milliseconds (user and system). */
export const cpuMs = (pid) => timesOf(pid, 2);

/** The same with that of its children that have ended. */
const cpuMsWithEnded = (pid) => timesOf(pid, 4);

function timesOf(pid, count) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const ticks = fields.slice(11, 11 + count).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / TICKS_PER_SECOND;
}

/** Processor time of a PostgreSQL cluster until now, with that of connections that were closed. */
export function postgresCpuMs(clusterDirectory) {
  const [postmaster, ...others] = postgresProcesses(clusterDirectory);
  const alive = others.flatMap((pid) => {
    try {
      return cpuMs(pid);
    } catch {
      // It has just ended.
      return [];
    }
  });
  return alive.reduce((sum, ms) => sum + ms, cpuMsWithEnded(postmaster));
}
