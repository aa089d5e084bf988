#!/usr/bin/env node
// Measures deliveries per second to nine partners while a tenth partner hangs, by a worker with default limits. The
// baseline is the same nine partners without the tenth. Part of run.mjs; also alone: node bench/nine-partners.mjs
// [--count N] [--rounds N]
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ask, usage } from './delivery-processes.mjs';
import { addPartners, withDeliveryWorld } from './delivery-world.mjs';
import { mean, percentile, ratioOfPairs } from './instrument/statistics.mjs';
import { printRow, printTitle } from './report.mjs';
import { writeOffers } from './waiting-messages.mjs';

/** The aim, as a part of the speed without the hanging partner. */
const AIM = 0.95;
const WAITING_FOR_THE_HANGING = 200;

const FORGET = `DELETE FROM outbox_message`;
const HEAL = `UPDATE peer SET gate = DEFAULT, parked_until = NULL`;
const OPEN = `SELECT count(*)::int AS open FROM outbox_message WHERE peer_id = ANY ($1::bigint[]) AND state <> 'delivered'`;
const FIGURES = `SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 AS seconds,
  array_agg(extract(epoch FROM finished_at - created_at)::float8 * 1000) AS latencies
  FROM outbox_message WHERE peer_id = ANY ($1::bigint[])`;
const TRIED = `SELECT count(*)::int AS tried FROM outbox_message WHERE peer_id = ANY ($1::bigint[]) AND round > 0`;

/** The case for the option --case and for the report. */
export const NINE_PARTNERS = { case: 'nine-partners, one hanging', format: 'redis', aim: AIM };

async function untilDelivered(client, nine) {
  while ((await client.query(OPEN, [nine])).rows[0].open > 0)
    await new Promise((passed) => setTimeout(passed, 20));
}

/** One round. @param hanging the partner that hangs, or none */
async function measureRound({ client, database, nine, sealed, worker, sink, count }, hanging, name) {
  await client.query(FORGET);
  await ask(sink, { hangUp: true });
  await client.query(HEAL);
  const before = usage(worker.pid);
  // The messages of the hanging partner come first, so that it blocks as much as possible.
  if (hanging.length > 0)
    await writeOffers(database, {
      ...{ peers: hanging, sealed, name },
      ...{ first: count + 1, last: count + WAITING_FOR_THE_HANGING },
    });
  await writeOffers(database, { peers: nine, sealed, first: 1, last: count, name });
  await untilDelivered(client, nine);
  const after = usage(worker.pid);
  const { seconds, latencies } = (await client.query(FIGURES, [nine])).rows[0];
  if (hanging.length > 0 && (await client.query(TRIED, [hanging])).rows[0].tried === 0)
    throw new Error('nothing was sent to the partner that hangs: this round shows nothing');
  return { perSecond: count / seconds, latencies, cpuMs: after.cpuMs - before.cpuMs, rssMb: after.rssMb };
}

function rowOf(beside, alone, count) {
  const latencies = beside.flatMap((one) => one.latencies).sort((a, b) => a - b);
  const [product, baseline] = [beside, alone].map((rounds) => mean(rounds.map((one) => one.perSecond)));
  return {
    case: NINE_PARTNERS.case,
    connections: 2,
    format: NINE_PARTNERS.format,
    product,
    baseline,
    ratio: product / baseline,
    interval: ratioOfPairs(beside.map((one, round) => [one.perSecond, alone[round].perSecond])),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMsPerRequest: mean(beside.map((one) => one.cpuMs)) / count,
    rssMb: Math.max(...beside.map((one) => one.rssMb)),
  };
}

async function measureWith(world, { count, rounds }) {
  const { client, sink } = world;
  const ports = await ask(sink, {});
  const partnersAt = (list) =>
    addPartners(
      client,
      list.map((port) => `127.0.0.1:${port}`),
    );
  const [nine, hanging] = [await partnersAt(ports.healthy), await partnersAt([ports.hanging])];
  const shared = { ...world, nine, count };
  await measureRound(shared, [], 'warm');
  const [beside, alone] = [[], []];
  // Both are measured in turn: other load of the machine affects both.
  for (let round = 0; round < rounds; round++) {
    alone.push(await measureRound(shared, [], `alone-${round}`));
    beside.push(await measureRound(shared, hanging, `beside-${round}`));
  }
  return rowOf(beside, alone, count);
}

/**
 * @param {{count: number, rounds: number}} size messages for all nine together, per round
 * @returns rows as in results/latest.json; none without redis-server
 */
export async function measureNinePartners(size) {
  const row = await withDeliveryWorld('partners-sink.mjs', (world) => measureWith(world, size));
  if (row !== undefined) return [row];
  console.log(`${NINE_PARTNERS.case}: left out, redis-server is not installed`);
  return [];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '900' }, rounds: { type: 'string', default: '3' } },
  });
  printTitle();
  const size = { count: Number(values.count), rounds: Number(values.rounds) };
  for (const row of await measureNinePartners(size)) printRow(row, AIM);
}
