#!/usr/bin/env node
// Measures the listing of a folder with 100 shares from a partner that hangs. The baseline is the same listing with a
// partner that answers. Part of run.mjs; also alone:
//   node bench/hanging-mounts.mjs [--seconds N] [--rounds N]
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { SecretBox } from '#platform';
import pg from 'pg';
import { startGateway } from '../scripts/gateway-process.mjs';
import { authorization } from './cases.mjs';
import { ask, forkHere, KEY } from './delivery-processes.mjs';
import { combined, measure } from './measure.mjs';
import { printRow, printTitle } from './report.mjs';
import { writeActors } from './seed.mjs';
import { bytesOf } from './world.mjs';

const MOUNTS = 100;
const CONNECTIONS = 16;
const ENVIRONMENT = {
  COMPATIBILITY: 'owncloud10',
  ENCRYPTION_KEY: KEY,
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
};
const ACTORS = { stuck: { uid: 'stuck' }, steady: { uid: 'steady' } };

const PEER = 'INSERT INTO peer (host_key) VALUES ($1) RETURNING id';
const RECEIVED = `
INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
  dialect, state, file_target, decided_at)
SELECT $1, n::text, decode(md5($2 || n) || md5(n::text), 'hex'), $3, $2, $4, $4, 'mount ' || n, 'folder', 31, 'ocm-webdav',
  'accepted', '/mount ' || n, now()
FROM generate_series(1, $5::int) n`;

/** The case for the option --case and for the report. */
export const HANGING_MOUNTS = { case: 'listing, 100 mounts of one hanging', format: 'xml', aim: 0.9 };

async function seed(client, sink) {
  const { healthy, hanging } = await ask(sink, {});
  const sealed = new SecretBox(() => Buffer.from(KEY, 'hex')).seal('SharedSecretOfTheBench');
  await writeActors(client, ACTORS);
  for (const [{ uid }, port] of [
    [ACTORS.stuck, hanging],
    [ACTORS.steady, healthy[0]],
  ]) {
    const host = `127.0.0.1:${port}`;
    const { id } = (await client.query(PEER, [host])).rows[0];
    await client.query(RECEIVED, [id, uid, sealed, `rem@${host}`, MOUNTS]);
  }
  await client.query('VACUUM ANALYZE');
}

const listingOf = ({ uid }) => ({
  method: 'PROPFIND',
  path: '/remote.php/webdav/',
  headers: { authorization: authorization(uid), depth: '1' },
});

/** A user opened one of the folders, so the hanging partner has already been called. */
async function requireMounts(gateway) {
  for (const actor of Object.values(ACTORS)) {
    const entries = (await bytesOf(gateway, listingOf(actor))).split('<d:response>').length - 1;
    if (entries !== MOUNTS + 1) throw new Error(`${actor.uid} sees ${entries} entries, not ${MOUNTS + 1}`);
    const inside = { ...listingOf(actor), path: '/remote.php/webdav/mount%201/' };
    await bytesOf(gateway, inside).catch(() => undefined);
  }
}

async function measureBoth(gateway, { seconds, rounds }) {
  const parts = { stuck: [], steady: [] };
  for (let round = 0; round <= rounds; round++)
    for (const [name, actor] of Object.entries(ACTORS)) {
      const part = await measure(gateway, listingOf(actor), { connections: CONNECTIONS, seconds });
      // The first measurement only warms up.
      if (round > 0) parts[name].push(part);
    }
  return { stuck: combined(parts.stuck), steady: combined(parts.steady) };
}

/**
 * @param {{seconds: number, rounds: number}} size
 * @returns rows as in results/latest.json
 */
export async function measureHangingMounts(size) {
  const sink = forkHere('partners-sink.mjs');
  const gateway = await startGateway(ENVIRONMENT);
  const embedded = await openEmbeddedDatabase({ dataDirectory: gateway.dataDir, role: 'command' });
  const client = new pg.Client({ connectionString: embedded.url });
  try {
    await client.connect();
    await seed(client, sink);
    await requireMounts(gateway);
    const { stuck, steady } = await measureBoth(gateway, size);
    console.log(`p99 with a partner that answers: ${steady.p99.toFixed(1)} ms`);
    const { perSecond: product, ...figures } = stuck;
    const [baseline, ratio] = [steady.perSecond, product / steady.perSecond];
    const { case: name, format } = HANGING_MOUNTS;
    return [{ case: name, format, connections: CONNECTIONS, product, baseline, ratio, ...figures }];
  } finally {
    await client.end();
    await embedded.stop();
    await gateway.stop();
    sink.disconnect();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
  });
  printTitle();
  const size = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  for (const row of await measureHangingMounts(size)) printRow(row, HANGING_MOUNTS.aim);
}
