// Measures the cases of one world: gateway and baseline, or two builds of the gateway, slices of both in turn.
import { GROUP_PAIRS } from './cases-directory.mjs';
import { SANITY } from './cases.mjs';
import { pinProcesses } from './instrument/pinning.mjs';
import { interleaved, rowOfSlices } from './instrument/slices.mjs';
import { combined, measure } from './measure.mjs';
import { printLedger, takeLedger, writeProfile } from './profile/ledger.mjs';
import { printFailure, printRow } from './report.mjs';
import { bytesOf, inWorld } from './world.mjs';

const WARM_UP_SECONDS = 1;
const PROFILED_CONNECTIONS = 16;
const SIDES = ['product', 'baseline'];

/** Runs `work`, which measures these cases. If it fails, they are shown as failed, and the run continues with the others. */
export async function orFailed(cases, report, work) {
  try {
    await work();
  } catch (error) {
    for (const one of cases) printFailure(one);
    const names = [...new Set(cases.map((one) => one.case))].join(', ');
    report.complaints.push(`failed: ${names}: ${error.message}`);
  }
}

/** The comparison is valid only if both give the same answer. Two builds have separate data, and may differ. */
async function requireSameBytes(one, world, { seconds }) {
  if (one.forget || world.against) return;
  const { product, baseline } = world.sides;
  const request = await one.prepare(product.database, seconds, product.sink);
  const [theirs, ours] = [await bytesOf(baseline.server, request), await bytesOf(product.server, request)];
  if (theirs === ours) return;
  const at = [...ours].findIndex((sign, index) => sign !== theirs[index]);
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  throw new Error(`the baseline says ${around(theirs)}, the gateway ${around(ours)}`);
}

async function take(one, { server, database, sink }, size) {
  const request = await one.prepare(database, size.seconds, sink);
  const slice = await measure(server, request, size);
  await one.forget?.(database);
  return slice;
}

/** The cases of a pair are measured in turn, so that other load of the machine affects both. */
async function compare(together, connections, world, { seconds, rounds }) {
  const turns = together.flatMap((_, index) => SIDES.map((side) => `${index} ${side}`));
  const slices = await interleaved(turns, rounds, (turn) => {
    const [index, side] = turn.split(' ');
    return take(together[index], world.sides[side], { connections, seconds });
  });
  return together.map((one, index) => ({
    case: one.case,
    connections,
    format: one.format,
    aim: one.aim,
    against: world.against,
    ...rowOfSlices(slices[`${index} product`], slices[`${index} baseline`]),
  }));
}

/** The measurements to take in turn: the two cases of a pair, or the formats of one case. */
function inTurns(selected) {
  const paired = GROUP_PAIRS.map(({ small, large }) => [small, large]);
  const partners = (one) => paired.find((names) => names.includes(one.case)) ?? [one.case];
  return [...new Set(selected.map((one) => partners(one).join()))].map((key) =>
    selected.filter((one) => partners(one).join() === key),
  );
}

/** The plausibility rules that the baseline fails, in words. */
async function insanity(results, { bare }, seconds) {
  const judged = SANITY.flatMap((rule) =>
    results
      .filter((row) => row.case === rule.case && row.format === rule.format && row.connections === 16)
      .map((row) => ({ ...rule, row })),
  );
  if (judged.length === 0 || bare === undefined) return [];
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

async function profileCase(one, world, { seconds, results }) {
  const { product } = world.sides;
  const size = { connections: PROFILED_CONNECTIONS, seconds: Math.max(seconds, 3) };
  const taken = await takeLedger({ ...product, ...world.profiled }, () => take(one, product, size));
  const stem = writeProfile(results, `${one.case} ${one.format}`, taken);
  printLedger(taken.ledger);
  console.log(`    ${stem}.svg`);
  return taken.ledger;
}

async function measureTogether(together, world, { description, options, report }) {
  for (const one of together) await requireSameBytes(one, world, options);
  for (const one of together)
    for (const side of SIDES)
      await take(one, world.sides[side], { connections: 16, seconds: WARM_UP_SECONDS });
  const [{ connections: own, rounds = options.rounds }] = together;
  for (const connections of own ?? options.connections ?? description.connections)
    await orFailed(together, report, async () => {
      const rows = await compare(together, connections, world, { ...options, rounds });
      for (const row of rows) printRow(row, row.aim);
      report.results.push(...rows);
    });
  if (!options.profile) return;
  for (const one of together) {
    const ledger = await profileCase(one, world, options);
    for (const row of report.results.filter((row) => row.case === one.case && row.format === one.format))
      if (row.connections === PROFILED_CONNECTIONS) row.ledger = ledger;
  }
}

/**
 * @param {object} description a row of worlds.mjs
 * @param {object} options as options.mjs reads them, with `other`, the other build, and `results`, the directory of files
 * @param {{results: object[], complaints: string[]}} report receives the rows, and the reasons of a failed run
 */
export async function measureWorld(description, options, report) {
  const selected = description.cases.filter((one) => one.case.includes(options.case));
  if (selected.length === 0) return;
  await orFailed(selected, report, () =>
    inWorld(description, options, async (world) => {
      pinProcesses(world.processes);
      const before = report.results.length;
      for (const together of inTurns(selected))
        await orFailed(together, report, () =>
          measureTogether(together, world, { description, options, report }),
        );
      const results = report.results.slice(before);
      report.complaints.push(...(await insanity(results, world, options.seconds)));
    }),
  );
}
