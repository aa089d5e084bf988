#!/usr/bin/env node
// Measures deliveries per second, from the new outbox row to its mark `delivered`. A worker runs as in production against a
// local sink; the baseline is a bare loop of BullMQ and undici on the same backend. Without redis-server there is no row for
// Redis. Part of run.mjs; also alone:
//   node bench/deliveries.mjs [--count N] [--rounds N]
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import { SecretBox } from '#platform';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { ask, forkHere, KEY, startRedis, startWorker, usage } from './delivery-processes.mjs';
import { mean, percentile, ratioOfPairs } from './instrument/statistics.mjs';
import { printLedger, takeLedger, writeProfile } from './profile/ledger.mjs';
import { agentEnvironment, agentSocket } from './profile/orders.mjs';
import { printRow, printTitle } from './report.mjs';
import { PAYLOAD, writeOffers } from './waiting-messages.mjs';

const CONCURRENCY = 200;
/** High enough that the partner's own limit has no effect. */
const PEER_CONCURRENCY = 1000;
const AIM = 0.75;

const OPEN = `SELECT count(*)::int AS open FROM outbox_message WHERE state <> 'delivered'`;
const FIGURES = `SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 AS seconds,
  array_agg(extract(epoch FROM finished_at - created_at)::float8 * 1000) AS latencies FROM outbox_message`;

async function untilDelivered(client) {
  while ((await client.query(OPEN)).rows[0].open > 0) await new Promise((passed) => setTimeout(passed, 20));
}

async function measureProduct({ client, database, peerId, sealed, worker, count, round }) {
  await client.query('DELETE FROM outbox_message');
  const before = usage(worker.pid);
  await writeOffers(database, { peers: [peerId], sealed, first: 1, last: count, name: `bench-${round}` });
  await untilDelivered(client);
  const after = usage(worker.pid);
  const { seconds, latencies } = (await client.query(FIGURES)).rows[0];
  return { perSecond: count / seconds, latencies, cpuMs: after.cpuMs - before.cpuMs, rssMb: after.rssMb };
}

function rowOf(format, product, baseline, count) {
  const latencies = product.flatMap((one) => one.latencies).sort((a, b) => a - b);
  const [ours, theirs] = [
    mean(product.map((one) => one.perSecond)),
    mean(baseline.map((one) => one.perSecond)),
  ];
  return {
    case: 'deliveries',
    connections: CONCURRENCY,
    format,
    product: ours,
    baseline: theirs,
    ratio: ours / theirs,
    interval: ratioOfPairs(product.map((one, round) => [one.perSecond, baseline[round].perSecond])),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMsPerRequest: mean(product.map((one) => one.cpuMs)) / count,
    rssMb: Math.max(...product.map((one) => one.rssMb)),
  };
}

async function partnerAt(client, sink) {
  const peer = await client.query(
    `INSERT INTO peer (host_key, concurrency, rate_per_second, rate_burst) VALUES ($1, $2, 1e6, 1000000)
     ON CONFLICT (host_key) DO UPDATE SET paused = false RETURNING id`,
    [`127.0.0.1:${sink.port}`, PEER_CONCURRENCY],
  );
  return peer.rows[0].id;
}

/** Lets a worker deliver `count` messages to the sink. */
export async function deliver({ client, database, sink, sealed, worker, count }) {
  const peerId = await partnerAt(client, sink);
  await measureProduct({ client, database, peerId, sealed, worker, count, round: 'once' });
}

/** The ledger of one delivery, written to files in `directory`. */
async function profileDeliveries(format, shared, { agent, cluster, directory, count }) {
  let loads = 0;
  const load = async () => {
    await measureProduct({ ...shared, count, round: `${format}-profiled-${loads++}` });
    return { count };
  };
  const taken = await takeLedger({ agent, cluster, database: shared.client }, load);
  writeProfile(directory, `deliveries ${format}`, taken);
  printLedger(taken.ledger);
  return taken.ledger;
}

async function measureBackend(format, world, { count, rounds, profile }) {
  const { url, client, database, sink, sealed, redis, cluster } = world;
  const jobs = format === 'redis' ? { REDIS_URL: redis.url } : {};
  const agent = agentSocket();
  const worker = await startWorker({
    DATABASE_URL: url,
    DELIVERY_CONCURRENCY: String(CONCURRENCY),
    ...jobs,
    ...(profile ? agentEnvironment(agent) : {}),
  });
  const [product, baseline] = [[], []];
  let ledger;
  const shared = { client, database, peerId: await partnerAt(client, sink), sealed, worker };
  const backend = format === 'redis' ? { redis: redis.url } : { postgres: url };
  const bare = {
    backend,
    sink: `http://127.0.0.1:${sink.port}`,
    concurrency: CONCURRENCY,
    body: JSON.stringify(PAYLOAD),
  };
  try {
    await measureProduct({ ...shared, count: CONCURRENCY, round: `${format}-warm` });
    for (let round = 0; round < rounds; round++) {
      product.push(await measureProduct({ ...shared, count, round: `${format}-${round}` }));
      baseline.push(await ask(forkHere('delivery-baseline.mjs'), { ...bare, count }));
    }
    if (profile)
      ledger = await profileDeliveries(format, shared, { agent, cluster, directory: profile, count });
  } finally {
    worker.kill('SIGTERM');
    await new Promise((ended) => worker.once('exit', ended));
  }
  return { ...rowOf(format, product, baseline, count), ledger };
}

/** The aim on both backends, as a part of the baseline's speed. */
export const DELIVERIES = { case: 'deliveries', aim: AIM };

/**
 * Measures both backends, Redis only if it is installed.
 *
 * @param {{count: number, rounds: number, profile?: string}} size messages per round; `profile` is the directory for files of a
 *   profile
 * @returns rows as in results/latest.json
 */
export async function measureDeliveries(size) {
  const dataDirectory = temporaryDirectory('bench');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const database = await Database.connect({ url: embedded.url, poolSize: 2, applicationName: 'bench' });
  const client = new pg.Client({ connectionString: embedded.url });
  const sinkProcess = forkHere('delivery-sink.mjs');
  let redis;
  try {
    await migrate(database);
    await client.connect();
    redis = await startRedis();
    const sink = await ask(sinkProcess, {});
    const sealed = new SecretBox(() => Buffer.from(KEY, 'hex')).seal('SharedSecretOfTheBench');
    const cluster = join(dataDirectory, 'postgres');
    const world = { url: embedded.url, client, database, sink, sealed, redis, cluster };
    const rows = [];
    if (redis === undefined) console.log('deliveries (redis): left out, redis-server is not installed');
    for (const format of redis ? ['redis', 'postgres'] : ['postgres'])
      rows.push(await measureBackend(format, world, size));
    return rows;
  } finally {
    sinkProcess.disconnect();
    redis?.stop();
    await client.end();
    await database.close();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '2' } },
  });
  printTitle();
  const rows = await measureDeliveries({
    count: Number(values.count),
    rounds: Number(values.rounds),
  });
  for (const row of rows) printRow(row, AIM);
}
