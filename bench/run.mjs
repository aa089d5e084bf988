#!/usr/bin/env node
// Measures the gateway against a bare baseline, or against another build of itself, on the same machine in one run. See README.md
// here.
//   node bench/run.mjs [--quick] [--seconds N] [--rounds N] [--connections 1,16,64] [--case part-of-a-name] [--profile]
//     [--against COMMIT]
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GROUP_PAIRS } from './cases-directory.mjs';
import { CHANGE_NOTIFICATIONS, measureChangeNotifications } from './change-notifications.mjs';
import { OFFERS_PAIR } from './cases-federation.mjs';
import { DELIVERIES, measureDeliveries } from './deliveries.mjs';
import { GROUP_FAN_OUT, measureGroupFanOut } from './group-fan-out.mjs';
import { HANGING_MOUNTS, measureHangingMounts } from './hanging-mounts.mjs';
import { keepResults, latestOf } from './instrument/kept-results.mjs';
import { commitHere, describeMachine } from './instrument/machine.mjs';
import { buildOf } from './instrument/other-build.mjs';
import { writePage } from './instrument/page.mjs';
import { measureWorld, orFailed } from './measure-world.mjs';
import { measureNinePartners, NINE_PARTNERS } from './nine-partners.mjs';
import { readOptions } from './options.mjs';
import { measureProcesses, PROCESSES } from './processes.mjs';
import { measurePushClients, PUSH_CLIENTS } from './push-clients.mjs';
import { printAims, printPairs, printRow, printTitle } from './report.mjs';
import { measureResumedReads, RESUMED_READS } from './resumed-reads.mjs';
import { measureSignIns, SIGN_INS } from './sign-ins.mjs';
import { measureSpread, SPREAD } from './spread.mjs';
import { WORLDS } from './worlds.mjs';

/** The aim for a large group, as a part of the speed for a small group; the rest allows for a busy machine. */
const PAIR_AIM = 0.8;

const options = readOptions(process.argv.slice(2));
const results = join(dirname(fileURLToPath(import.meta.url)), 'results');
const { quick, seconds, rounds } = options;
const isSelected = (one) => one.case.includes(options.case);

/**
 * Measurements that need more than requests to a gateway: each creates its own servers and data, and uses only this
 * build.
 */
const ALONE = [
  [DELIVERIES, () => measureDeliveries({ count: 1000, rounds, profile: options.profile && results })],
  [NINE_PARTNERS, () => measureNinePartners(quick ? { count: 450, rounds: 2 } : { count: 900, rounds: 3 })],
  [GROUP_FAN_OUT, () => measureGroupFanOut({ members: quick ? 2000 : 10_000, rounds })],
  [HANGING_MOUNTS, () => measureHangingMounts({ seconds, rounds })],
  [CHANGE_NOTIFICATIONS, () => measureChangeNotifications({ shares: 50, changes: quick ? 20 : 50, rounds })],
  [RESUMED_READS, () => measureResumedReads({ rounds })],
  [PUSH_CLIENTS, () => measurePushClients({ clients: quick ? 2000 : 10_000, rounds })],
  [SIGN_INS, () => measureSignIns({ seconds, rounds })],
  [SPREAD, () => measureSpread({ seconds, rounds })],
];

async function measureAlone(report) {
  for (const [about, measureRows] of ALONE)
    if (isSelected(about))
      await orFailed([about], report, async () => {
        for (const row of await measureRows()) {
          printRow(row, about.aim);
          report.results.push({ aim: about.aim, ...row });
        }
      });
  if (isSelected(PROCESSES))
    await orFailed([PROCESSES], report, () =>
      measureProcesses(quick ? { seconds: 3, rounds: 3 } : { seconds: 10, rounds: 5 }),
    );
}

const other = options.against === undefined ? undefined : buildOf(options.against);
const source = commitHere();
const machine = describeMachine();
const report = { results: [], complaints: [] };
printTitle(other && `beside ${other.commit}: ratios above 1 say that this build is faster`);
for (const description of WORLDS) await measureWorld(description, { ...options, other, results }, report);
if (other === undefined) await measureAlone(report);
if (other === undefined) printAims(report.results);
printPairs(report.results, [...GROUP_PAIRS, OFFERS_PAIR], PAIR_AIM);
mkdirSync(results, { recursive: true });
if (other === undefined)
  writeFileSync(join(results, 'latest.json'), `${JSON.stringify(report.results.map(latestOf), null, 2)}\n`);
if (report.results.length > 0) keepResults(results, source, machine, report.results);
writePage(results);
for (const complaint of report.complaints) console.error(complaint);
process.exitCode = report.complaints.length > 0 ? 1 : 0;
