#!/usr/bin/env node
// Measures changes at an owner until they are visible at the recipient of another gateway: one change after the other (p50 and p99, from
// the answer to the PUT to another ETag of the recipient's root), and one change in each of 50 shares at once (shares per second). The
// baseline is the recipient who looks into each of these shares, which asks the owner's gateway each time. Part of run.mjs; also alone:
//   node bench/change-notifications.mjs [--shares N] [--changes N] [--rounds N]
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { usage } from './delivery-processes.mjs';
import { mean, percentile, ratioOfPairs } from './instrument/statistics.mjs';
import { printRow, printTitle } from './report.mjs';
import { withTwoGateways } from './two-gateways.mjs';

const AT_ONCE = 16;
const LOOK_EVERY_MS = 10;
const LIMIT_MS = 120_000;

/** The case for the option --case. It has no aim: a notification is a signed and stored message, a look is not. */
export const CHANGE_NOTIFICATIONS = { case: 'change notifications', format: 'ocm' };

/** Runs `work` for all of `items`, some at the same time. */
async function forAll(items, work) {
  const left = [...items];
  const run = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

/** Waits until `state` differs in each place from what it was. @returns milliseconds since `from` */
async function untilChanged(state, before, from) {
  for (;;) {
    const now = await state();
    if (before.every((one, place) => one !== now[place])) return performance.now() - from;
    if (performance.now() - from > LIMIT_MS) throw new Error('a change did not arrive at the recipient');
    await new Promise((passed) => setTimeout(passed, LOOK_EVERY_MS));
  }
}

/** The recipient's ETags: a listing of the root does not ask the owner. */
async function etags({ recipient, folders }) {
  const listing = await recipient.dav('PROPFIND', '/', { headers: { depth: '1' } });
  const found = new Map(
    [...listing.matchAll(/<d:href>\/remote\.php\/webdav(\/[^<]*?)\/?<\/d:href>.*?getetag>([^<]*)</gs)].map(
      ([, path, etag]) => [path, etag],
    ),
  );
  return { root: [/getetag>([^<]*)</.exec(listing)[1]], shares: folders.map((path) => found.get(path)) };
}

/** One change, until the recipient's root has another ETag. @returns milliseconds */
async function changeOne(world, name) {
  const before = (await etags(world)).root;
  await world.owner.dav('PUT', `${world.folders[0]}/${name}`, { body: 'content' });
  return untilChanged(async () => (await etags(world)).root, before, performance.now());
}

/** A change in each share, until all are visible. @returns shares per second */
async function changeAll(world, name) {
  const before = (await etags(world)).shares;
  const from = performance.now();
  await forAll(world.folders, (path) => world.owner.dav('PUT', `${path}/${name}`, { body: 'content' }));
  const ms = await untilChanged(async () => (await etags(world)).shares, before, from);
  return (1000 * world.folders.length) / ms;
}

/** The recipient looks into each share. @returns shares per second */
async function lookAtAll({ recipient, folders }) {
  const from = performance.now();
  await forAll(folders, (path) => recipient.dav('PROPFIND', path, { headers: { depth: '1' } }));
  return (1000 * folders.length) / (performance.now() - from);
}

async function measureRounds(world, { changes, rounds }) {
  const [product, baseline, waits] = [[], [], []];
  let cpuMs = 0;
  const { pid } = world.recipient.gateway;
  for (let round = 0; round <= rounds; round += 1) {
    const before = usage(pid).cpuMs;
    const ours = await changeAll(world, `all-${round}`);
    const spent = usage(pid).cpuMs - before;
    const theirs = await lookAtAll(world);
    // The first round only warms up.
    if (round === 0) continue;
    product.push(ours);
    baseline.push(theirs);
    cpuMs += spent;
  }
  for (let change = 0; change < changes; change += 1) waits.push(await changeOne(world, `one-${change}`));
  waits.sort((a, b) => a - b);
  const [ours, theirs] = [mean(product), mean(baseline)];
  return {
    ...CHANGE_NOTIFICATIONS,
    connections: AT_ONCE,
    product: ours,
    baseline: theirs,
    ratio: ours / theirs,
    interval: ratioOfPairs(product.map((one, round) => [one, baseline[round]])),
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    cpuMsPerRequest: cpuMs / (rounds * world.folders.length),
    rssMb: usage(pid).rssMb,
  };
}

/**
 * @param {{shares: number, changes: number, rounds: number}} size
 * @returns rows as in results/latest.json
 */
export const measureChangeNotifications = (size) =>
  withTwoGateways(size.shares, async (world) => [await measureRounds(world, size)]);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      shares: { type: 'string', default: '50' },
      changes: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '5' },
    },
  });
  printTitle();
  const size = {
    shares: Number(values.shares),
    changes: Number(values.changes),
    rounds: Number(values.rounds),
  };
  for (const row of await measureChangeNotifications(size)) printRow(row);
}
