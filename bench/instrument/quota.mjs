// Gives each process of a measurement a part of a processor, so that several of them can be compared on a machine with
// few processors.
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The processor controller of control groups, version 1. Only root may write there. */
const CONTROLLER = '/sys/fs/cgroup/cpu';
/** Short, so that a process that has used its part waits less than a slice of the measurement. */
const PERIOD_US = 20_000;

/**
 * @param {number} pid with all its threads
 * @param {number} part of one processor
 * @returns {boolean} false if this machine does not allow it
 */
export function limitProcessor(pid, part) {
  const group = groupOf(pid);
  try {
    mkdirSync(group);
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(part * PERIOD_US)));
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
    return true;
  } catch {
    removeLimit(pid);
    return false;
  }
}

/** Removes the group of a process that has ended. */
export function removeLimit(pid) {
  try {
    rmdirSync(groupOf(pid));
  } catch {
    // There is none.
  }
}

const groupOf = (pid) => join(CONTROLLER, `drawbridge-bench-${pid}`);
