#!/usr/bin/env node
// Measures a share with a group of 10,000 members at 50 partners: from the share to the last offer in the outbox, and from its
// deletion to the last message about it. The baseline inserts the same rows by plain statements, a thousand rows each. Part of
// run.mjs; also alone: node bench/group-fan-out.mjs [--members N] [--rounds N]
import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate, OutboxDispatchRepository } from '#persistence';
import { SecretBox } from '#platform';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { KEY, usage } from './delivery-processes.mjs';
import { mean, ratioOfPairs } from './instrument/statistics.mjs';
import { printRow, printTitle } from './report.mjs';

const PARTNERS = 50;
const AT_ONCE = 1000;
const LEASE_MS = 60_000;

/** The case for the option --case and for the report; its aim is a part of the speed of the plain statements. */
export const GROUP_FAN_OUT = { case: 'group of 10,000 at 50 partners', format: 'postgres', aim: 0.2 };

// Paused partners get no messages: only the writing is measured.
const SEED = `
INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', 'x');
INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice');
INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
  SELECT id, 'alice', 'plans', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage;
INSERT INTO user_group (gid) VALUES ('team');
INSERT INTO peer (host_key, paused) SELECT 'p' || n || '.example', true FROM generate_series(1, ${PARTNERS}) AS n;`;
const MEMBERS = `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id)
  SELECT 'team', 'u' || n || '@' || p.host_key, 'u' || n || '@' || p.host_key, p.id
  FROM generate_series(1, $1::int) AS n JOIN peer p ON p.host_key = 'p' || (1 + n % ${PARTNERS}) || '.example'`;
const SHARE = `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
  SELECT 1, id, 'alice', 'alice', 'team', 'team', 1 FROM node RETURNING id`;
const COUNT = `SELECT count(*)::int AS count FROM outbox_message WHERE kind = $1`;
const FORGET = `DELETE FROM outbox_message; DELETE FROM share_event; DELETE FROM share`;
const PLAIN_SHARES = `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, permissions, peer_id, delivery_state, acceptance)
  SELECT 6, n.id, 'alice', 'alice', m.cloud_id, 1, m.peer_id, 'pending', 'unknown'
  FROM node n, (SELECT * FROM group_remote_member ORDER BY canonical OFFSET $1 LIMIT $2) AS m RETURNING id, peer_id, recipient`;
const PLAIN_OFFERS = `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
  SELECT 'share', s.id, s.peer_id, 'share-create', 0, 'share-create:share/' || s.id || ':0', jsonb_build_object('shareWith', s.recipient),
    now() + interval '3 days' FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS s(id, peer_id, recipient)`;

/** Dispatches as a worker does until `count` messages are written. @returns milliseconds */
async function until({ client, dispatch }, kind, count) {
  const from = performance.now();
  while ((await client.query(COUNT, [kind])).rows[0].count < count) await dispatch.dispatch(LEASE_MS);
  return performance.now() - from;
}

async function measureRound(world, members) {
  const { client } = world;
  await client.query(FORGET);
  const before = usage(process.pid);
  const { id } = (await client.query(SHARE)).rows[0];
  const fanOutMs = await until(world, 'share-create', members);
  const ended = performance.now();
  await client.query('DELETE FROM share WHERE id = $1', [id]);
  // Undelivered offers need no message about the end: the outbox then has no open messages.
  while ((await client.query(`SELECT count(*)::int AS count FROM share_event`)).rows[0].count > 0)
    await world.dispatch.dispatch(LEASE_MS);
  const endMs = performance.now() - ended;
  return { fanOutMs, endMs, cpuMs: usage(process.pid).cpuMs - before.cpuMs, rssMb: usage(process.pid).rssMb };
}

async function plainRound({ client }, members) {
  await client.query(FORGET);
  const from = performance.now();
  for (let done = 0; done < members; done += AT_ONCE) {
    const { rows } = await client.query(PLAIN_SHARES, [done, AT_ONCE]);
    const columns = ['id', 'peer_id', 'recipient'].map((name) => rows.map((row) => row[name]));
    await client.query(PLAIN_OFFERS, columns);
  }
  return performance.now() - from;
}

function rowOf(rounds, plain, members) {
  const [product, baseline] = [rounds.map(({ fanOutMs }) => fanOutMs), plain].map(
    (all) => (members * 1000) / mean(all),
  );
  return {
    case: GROUP_FAN_OUT.case,
    connections: 1,
    format: GROUP_FAN_OUT.format,
    product,
    baseline,
    ratio: product / baseline,
    interval: ratioOfPairs(plain.map((ms, round) => [ms, rounds[round].fanOutMs])),
    p50: mean(rounds.map(({ fanOutMs }) => fanOutMs)),
    p99: mean(rounds.map(({ endMs }) => endMs)),
    cpuMsPerRequest: mean(rounds.map(({ cpuMs }) => cpuMs)) / members,
    rssMb: Math.max(...rounds.map(({ rssMb }) => rssMb)),
  };
}

/**
 * @param {{members: number, rounds: number}} size @returns rows as in results/latest.json: p50 is the time of the whole fan-out, p99 that
 * of the whole deletion
 */
export async function measureGroupFanOut({ members, rounds }) {
  const dataDirectory = temporaryDirectory('bench');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const database = await Database.connect({ url: embedded.url, poolSize: 2, applicationName: 'bench' });
  const client = new pg.Client({ connectionString: embedded.url });
  try {
    await migrate(database);
    await client.connect();
    const secrets = new SecretBox(() => Buffer.from(KEY, 'hex'));
    const world = { client, dispatch: new OutboxDispatchRepository(database, secrets) };
    await client.query(SEED);
    await client.query(MEMBERS, [members]);
    const [measured, plain] = [[], []];
    for (let round = 0; round < rounds; round++) {
      plain.push(await plainRound(world, members));
      measured.push(await measureRound(world, members));
    }
    return [rowOf(measured, plain, members)];
  } finally {
    await client.end();
    await database.close();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { members: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '2' } },
  });
  printTitle();
  const size = { members: Number(values.members), rounds: Number(values.rounds) };
  for (const row of await measureGroupFanOut(size)) printRow(row, GROUP_FAN_OUT.aim);
}
