#!/usr/bin/env node
// Measures reads of files of 64 MB at a partner whose connections break after each 8 MB: the gateway asks for the rest by range, and its
// client notices nothing. The baseline is the same reads at a partner that does not break them, in turn. Each read is the first one of
// its file, so nothing comes from the cache. Part of run.mjs; also alone: node bench/resumed-reads.mjs [--rounds N]
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { SecretBox } from '#platform';
import { authorization } from './cases.mjs';
import { ask, forkHere, KEY, usage } from './delivery-processes.mjs';
import { mean, percentile, ratioOfPairs } from './instrument/statistics.mjs';
import { printRow, printTitle } from './report.mjs';
import { writeActors } from './seed.mjs';
import { openProduct, withClosers } from './world.mjs';

const READER = 'reader';
const MEGABYTE = 1024 * 1024;
const ENVIRONMENT = {
  ENCRYPTION_KEY: KEY,
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
};

/** The case for the option --case and for the report. */
export const RESUMED_READS = { case: 'reads of 64 MB with seven cuts', format: 'file', aim: 0.25 };

const PEER = 'INSERT INTO peer (host_key) VALUES ($1) RETURNING id';
const RECEIVED = `
INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
  dialect, state, file_target, decided_at)
VALUES ($1, $2, sha256(convert_to($2, 'UTF8')), $3, $4, $5, $5, $2, 'folder', 31, 'ocm-webdav', 'accepted', '/' || $2, now())`;

async function seed(client, ports) {
  const sealed = new SecretBox(() => Buffer.from(KEY, 'hex')).seal('SharedSecretOfTheBench');
  await writeActors(client, { [READER]: { uid: READER } });
  for (const name of ['whole', 'cutting']) {
    const host = `127.0.0.1:${ports[name]}`;
    const { id } = (await client.query(PEER, [host])).rows[0];
    await client.query(RECEIVED, [id, name, sealed, READER, `rem@${host}`]);
  }
}

/** @returns milliseconds of one read @throws Error if bytes are missing */
async function read(gateway, path, bytes) {
  const from = performance.now();
  const reply = await fetch(`${gateway.url}/remote.php/webdav${path}`, {
    headers: { authorization: authorization(READER) },
  });
  if (reply.status !== 200) throw new Error(`GET ${path}: HTTP ${reply.status}\n${await reply.text()}`);
  let received = 0;
  for await (const piece of reply.body) received += piece.length;
  if (received !== bytes) throw new Error(`${received} of ${bytes} bytes of ${path}`);
  return performance.now() - from;
}

async function measureRounds(gateway, { names, bytes }, rounds) {
  if (rounds >= names.length) throw new Error(`at most ${names.length - 1} rounds`);
  const pairs = [];
  let cpuMs = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const before = usage(gateway.pid).cpuMs;
    const cut = await read(gateway, `/cutting/${names[round]}`, bytes);
    const spent = usage(gateway.pid).cpuMs - before;
    const whole = await read(gateway, `/whole/${names[round]}`, bytes);
    // The first round only warms up.
    if (round === 0) continue;
    pairs.push({ cut, whole });
    cpuMs += spent;
  }
  const rate = (ms) => 1000 / ms;
  const waits = pairs.map(({ cut }) => cut).sort((a, b) => a - b);
  const product = mean(pairs.map(({ cut }) => rate(cut)));
  const baseline = mean(pairs.map(({ whole }) => rate(whole)));
  const { case: name, format } = RESUMED_READS;
  return {
    case: name,
    format,
    connections: 1,
    product,
    baseline,
    ratio: product / baseline,
    interval: ratioOfPairs(pairs.map(({ cut, whole }) => [rate(cut), rate(whole)])),
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    cpuMsPerRequest: cpuMs / rounds,
    rssMb: usage(gateway.pid).rssMb,
  };
}

/**
 * @param {{rounds: number}} size
 * @returns rows as in results/latest.json
 */
export const measureResumedReads = ({ rounds }) =>
  withClosers(async (closers) => {
    const partner = forkHere('cutting-partner.mjs');
    closers.push(() => partner.disconnect());
    const { gateway, database } = await openProduct(ENVIRONMENT, undefined, closers);
    const files = await ask(partner, {});
    await seed(database, files);
    const row = await measureRounds(gateway, files, rounds);
    console.log(`${((row.product * files.bytes) / MEGABYTE).toFixed(0)} MB per second with cuts`);
    return [row];
  });

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
  printTitle();
  for (const row of await measureResumedReads({ rounds: Number(values.rounds) }))
    printRow(row, RESUMED_READS.aim);
}
