#!/usr/bin/env node
// Measures the gateway beside a bare baseline on the same data, in one run. See README.md here.
//   node bench/run.mjs [--quick] [--seconds N] [--rounds N] [--connections 1,16,64] [--case part-of-a-name]
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SANITY, SHARE_CASES } from './cases.mjs';
import { DIRECTORY_CASES, GROUP_PAIRS } from './cases-directory.mjs';
import { FILES_CASES } from './cases-files.mjs';
import { PARTNER_CASES } from './cases-partner.mjs';
import { EMPTY_INBOX_CASES, FULL_INBOX_CASES, OFFERS_PAIR } from './cases-federation.mjs';
import { DELIVERIES, measureDeliveries } from './deliveries.mjs';
import { HANGING_MOUNTS, measureHangingMounts } from './hanging-mounts.mjs';
import { combined, measure } from './measure.mjs';
import { measureNinePartners, NINE_PARTNERS } from './nine-partners.mjs';
import { measureProcesses, PROCESSES } from './processes.mjs';
import { printAims, printFailure, printPairs, printRow, printTitle } from './report.mjs';
import { ACTORS, seed } from './seed.mjs';
import { DIRECTORY_ACTORS, seedDirectory } from './seed-directory.mjs';
import { FILES_ACTORS, seedFiles } from './seed-files.mjs';
import { FEDERATION_ACTORS, seedFederation, STORED } from './seed-federation.mjs';
import { ENCRYPTION_KEY, PARTNER_ACTORS, seedPartner } from './seed-partner.mjs';
import { measureSignIns, SIGN_INS } from './sign-ins.mjs';
import { measureSpread, SPREAD } from './spread.mjs';
import { bytesOf, inWorld } from './world.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const WARM_UP_SECONDS = 1;
/** Share of the speed of requests for a small group; the rest is the variance of a busy machine. */
const PAIR_AIM = 0.8;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    connections: { type: 'string' },
    case: { type: 'string', default: '' },
  },
});
const seconds = Number(options.seconds ?? (options.quick ? 1 : 2));
const rounds = Number(options.rounds ?? (options.quick ? 1 : 2));
const isSelected = (one) => one.case.includes(options.case);

const federationWorld = (stored, cases) => ({
  seed: seedFederation(stored),
  actors: FEDERATION_ACTORS,
  baseline: 'baseline-federation.mjs',
  cases,
  connections: [1, 16],
  environment: { FEDERATION_ALLOW_HTTP: 'true', FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8' },
});

/** Each has a gateway of its own, so that its memory is not that of what was measured before. */
const WORLDS = [
  {
    seed,
    actors: ACTORS,
    baseline: 'baseline.mjs',
    cases: SHARE_CASES,
    connections: [1, 16, 64],
  },
  {
    seed: seedDirectory,
    actors: DIRECTORY_ACTORS,
    baseline: 'baseline-directory.mjs',
    cases: DIRECTORY_CASES,
    connections: [1, 16],
  },
  {
    seed: seedPartner,
    actors: PARTNER_ACTORS,
    baseline: 'baseline-partner.mjs',
    cases: PARTNER_CASES,
    connections: [1, 16],
    environment: { ENCRYPTION_KEY },
  },
  {
    seed: seedFiles,
    actors: FILES_ACTORS,
    baseline: 'baseline-files.mjs',
    cases: FILES_CASES,
    connections: [1, 16],
  },
  federationWorld(0, EMPTY_INBOX_CASES),
  federationWorld(STORED, FULL_INBOX_CASES),
];

/** The comparison is worth something only while both say the same. */
async function requireSameBytes(one, { gateway, baseline, database, sink }) {
  if (one.forget) return;
  const request = await one.prepare(database, seconds, sink);
  const [theirs, ours] = [await bytesOf(baseline, request), await bytesOf(gateway, request)];
  if (theirs === ours) return;
  const at = [...ours].findIndex((sign, index) => sign !== theirs[index]);
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  throw new Error(`the baseline says ${around(theirs)}, the gateway ${around(ours)}`);
}

/** Does `work`, which measures these cases. Where it fails, they are shown as failed, and the run goes on with the others. */
async function orFailed(cases, report, work) {
  try {
    await work();
  } catch (error) {
    for (const one of cases) printFailure(one);
    const names = [...new Set(cases.map((one) => one.case))].join(', ');
    report.complaints.push(`failed: ${names}: ${error.message}`);
  }
}

/** Gateway and baseline in turn, and cases that are compared with each other: whatever else the machine does meets all. */
async function compare(together, connections, { gateway, baseline, database, sink }) {
  const parts = together.map(() => ({ gateway: [], baseline: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of together.entries()) {
      for (const [name, server] of Object.entries({ gateway, baseline })) {
        const request = await one.prepare(database, seconds, sink);
        parts[index][name].push(await measure(server, request, { connections, seconds }));
        await one.forget?.(database);
      }
    }
  }
  return together.map((one, index) => rowOf(one, connections, parts[index]));
}

function rowOf(one, connections, parts) {
  const [product, reference] = [combined(parts.gateway), combined(parts.baseline)];
  return {
    case: one.case,
    connections,
    format: one.format,
    product: product.perSecond,
    baseline: reference.perSecond,
    ratio: product.perSecond / reference.perSecond,
    p50: product.p50,
    p99: product.p99,
    cpuMsPerRequest: product.cpuMsPerRequest,
    rssMb: product.rssMb,
  };
}

/** Lists of what is measured in turn: the cases of a pair, and the formats of every other case. */
function inTurns(selected) {
  const paired = GROUP_PAIRS.map(({ small, large }) => [small, large]);
  const partners = (one) => paired.find((names) => names.includes(one.case)) ?? [one.case];
  return [...new Set(selected.map((one) => partners(one).join()))].map((key) =>
    selected.filter((one) => partners(one).join() === key),
  );
}

async function warmUp(one, { gateway, baseline, database, sink }) {
  for (const server of [gateway, baseline]) {
    await measure(server, await one.prepare(database, WARM_UP_SECONDS, sink), {
      connections: 16,
      seconds: WARM_UP_SECONDS,
    });
    await one.forget?.(database);
  }
}

/** Rules of sanity that the baseline misses, in words. */
async function insanity(results, bare) {
  const judged = SANITY.flatMap((rule) =>
    results
      .filter((row) => row.case === rule.case && row.format === rule.format && row.connections === 16)
      .map((row) => ({ ...rule, row })),
  );
  if (judged.length === 0) return [];
  const ceiling = combined([await measure(bare, { headers: {} }, { connections: 16, seconds })]).perSecond;
  console.log(`\nbare node:http at 16 connections: ${Math.round(ceiling)} req/s`);
  const complaints = [];
  for (const { case: name, format, least, row } of judged) {
    const share = row.baseline / ceiling;
    console.log(`baseline, ${name} (${format}): ${share.toFixed(3)} of it (at least ${least})\n`);
    if (share < least) complaints.push(`${name} (${format}) of the baseline is too slow to compare with`);
  }
  return complaints;
}

function connectionsFor(description) {
  if (options.connections !== undefined) return options.connections.split(',').map(Number);
  return options.quick ? [16] : description.connections;
}

async function measureWorld(description, report) {
  const selected = description.cases.filter(isSelected);
  if (selected.length === 0) return;
  await orFailed(selected, report, () =>
    inWorld(description, async (world) => {
      const results = [];
      for (const together of inTurns(selected))
        await orFailed(together, report, () => measureTogether(together, world, description, results));
      report.complaints.push(...(await insanity(results, world.bare)));
      report.results.push(...results);
      report.selected.push(...selected);
    }),
  );
}

async function measureTogether(together, world, description, results) {
  for (const one of together) await requireSameBytes(one, world);
  for (const one of together) await warmUp(one, world);
  for (const connections of connectionsFor(description)) {
    const rows = await compare(together, connections, world);
    for (const row of rows)
      printRow(row, together.find((one) => one.case === row.case && one.format === row.format).aim);
    results.push(...rows);
  }
}

function reportRows(report, about, rows) {
  for (const row of rows) {
    printRow(row, about.aim);
    report.results.push(row);
    report.selected.push({ ...about, case: row.case, format: row.format });
  }
}

/** Measurements that need more than requests to a gateway: each makes a world of its own. */
const ALONE = [
  [DELIVERIES, () => measureDeliveries(options.quick ? { count: 1000, rounds: 1 } : { count: 3000, rounds })],
  [
    NINE_PARTNERS,
    () => measureNinePartners(options.quick ? { count: 450, rounds: 2 } : { count: 900, rounds: rounds + 1 }),
  ],
  [HANGING_MOUNTS, () => measureHangingMounts({ seconds, rounds })],
  [SIGN_INS, () => measureSignIns({ seconds, rounds })],
  [SPREAD, () => measureSpread({ seconds, rounds })],
];

const report = { results: [], selected: [], complaints: [] };
printTitle();
for (const description of WORLDS) await measureWorld(description, report);
for (const [about, measureRows] of ALONE)
  if (isSelected(about))
    await orFailed([about], report, async () => reportRows(report, about, await measureRows()));
if (isSelected(PROCESSES))
  await orFailed([PROCESSES], report, () =>
    measureProcesses(options.quick ? { seconds: 3, rounds: 3 } : { seconds: 10, rounds: 5 }),
  );
printAims(report.results, report.selected);
printPairs(report.results, [...GROUP_PAIRS, OFFERS_PAIR], PAIR_AIM);
mkdirSync(join(here, 'results'), { recursive: true });
writeFileSync(join(here, 'results/latest.json'), `${JSON.stringify(report.results, null, 2)}\n`);
for (const complaint of report.complaints) console.error(complaint);
process.exitCode = report.complaints.length > 0 ? 1 : 0;
