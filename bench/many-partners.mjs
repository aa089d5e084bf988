#!/usr/bin/env node
// Delivers messages to thousands of partners, of which a tenth hangs, with a worker as in production. The baseline is the same
// without those that hang. It takes long, so it is not a part of run.mjs:
//   node bench/many-partners.mjs [--partners N] [--messages N]
import { parseArgs } from 'node:util';
import { ask, usage } from './delivery-processes.mjs';
import { addPartners, withDeliveryWorld } from './delivery-world.mjs';
import { postgresCpuMs } from './instrument/processor-time.mjs';
import { fairness } from './instrument/statistics.mjs';
import { writeOffers } from './waiting-messages.mjs';

const HANGING = 0.1;
/** So many messages wait for each partner that hangs. */
const WAITING = 20;
const LOOK_EVERY_MS = 500;
/** A count reads all messages, so it is not made more often than needed. */
const LONGEST_PAUSE_MS = 10_000;

const DELIVERED = `SELECT count(*)::int AS count FROM outbox_message WHERE state = 'delivered' AND peer_id = ANY ($1::bigint[])`;
const BY_PARTNER = `SELECT count(m.id)::int AS count FROM unnest($1::bigint[]) AS p(id)
  LEFT JOIN outbox_message m ON m.peer_id = p.id AND m.state = 'delivered' GROUP BY p.id`;
const TRIED = `SELECT count(DISTINCT peer_id)::int AS count FROM outbox_message WHERE peer_id = ANY ($1::bigint[]) AND round > 0`;

const { values } = parseArgs({
  options: {
    partners: { type: 'string', default: '10000' },
    messages: { type: 'string', default: '1000000' },
  },
});

const countOf = async (client, sql, peers) => (await client.query(sql, [peers])).rows[0].count;

/** Follows the deliveries to healthy partners until all have arrived. */
async function follow({ client, healthy, worker, cluster, count }) {
  const startedAt = performance.now();
  const before = { worker: usage(worker.pid).cpuMs, postgres: postgresCpuMs(cluster) };
  const memory = [];
  const watch = setInterval(() => memory.push(usage(worker.pid).rssMb), LOOK_EVERY_MS).unref();
  let share;
  for (;;) {
    const delivered = await countOf(client, DELIVERED, healthy);
    if (share === undefined && delivered >= count / 2)
      share = fairness((await client.query(BY_PARTNER, [healthy])).rows.map((row) => row.count));
    if (delivered >= count) break;
    const goal = share === undefined ? count / 2 : count;
    const leftMs = ((goal - delivered) * (performance.now() - startedAt)) / Math.max(1, delivered);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(LOOK_EVERY_MS, leftMs / 2));
    await new Promise((passed) => setTimeout(passed, pauseMs));
  }
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1000;
  const at = (part) => memory[Math.floor(part * (memory.length - 1))].toFixed(0);
  const workerMs = (usage(worker.pid).cpuMs - before.worker) / count;
  const postgresMs = (postgresCpuMs(cluster) - before.postgres) / count;
  return {
    perSecond: count / seconds,
    fairness: share,
    memory: [0.25, 0.5, 0.75, 1].map(at),
    workerMs,
    postgresMs,
  };
}

async function measure(world, name, hanging) {
  const { client, database, healthy, sealed, count } = world;
  await client.query('TRUNCATE outbox_message CASCADE');
  await client.query('UPDATE peer SET gate = DEFAULT, parked_until = NULL');
  if (hanging.length > 0)
    await writeOffers(database, {
      ...{ peers: hanging, sealed, name },
      ...{ first: count + 1, last: count + WAITING * hanging.length },
    });
  await writeOffers(database, { peers: healthy, sealed, first: 1, last: count, name });
  const figures = await follow(world);
  const tried = hanging.length > 0 ? await countOf(client, TRIED, hanging) : 0;
  if (tried < hanging.length / 2) throw new Error(`only ${tried} of ${hanging.length} that hang were tried`);
  console.log(
    `${name}: ${figures.perSecond.toFixed(1)} messages per second, Jain's index ${figures.fairness.toFixed(3)} at half of them, ` +
      `processor time per message ${figures.workerMs.toFixed(2)} ms of the worker and ${figures.postgresMs.toFixed(2)} ms of PostgreSQL, ` +
      `memory of the worker at each quarter ${figures.memory.join(', ')} MB${tried > 0 ? `, ${tried} partners that hang were tried` : ''}`,
  );
  return figures;
}

const done = await withDeliveryWorld('many-partners-sink.mjs', async (world) => {
  const { client, sink } = world;
  const partners = Number(values.partners);
  const hosts = await ask(sink, {
    healthy: Math.round(partners * (1 - HANGING)),
    hanging: Math.round(partners * HANGING),
  });
  const healthy = await addPartners(client, hosts.healthy);
  const hanging = await addPartners(client, hosts.hanging);
  const measured = { ...world, healthy, count: Number(values.messages) };
  // The first messages to each partner also read its discovery document.
  await measure({ ...measured, count: healthy.length }, 'first', []);
  const alone = await measure(measured, 'alone', []);
  const beside = await measure(measured, 'beside', hanging);
  console.log(
    `beside those that hang: ${(beside.perSecond / alone.perSecond).toFixed(3)} of the speed without them, ` +
      `${(alone.workerMs / beside.workerMs).toFixed(3)} by the worker's processor time`,
  );
  return true;
});
if (!done) throw new Error('redis-server is not installed');
