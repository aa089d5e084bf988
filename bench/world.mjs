// A gateway with its data, the baseline of that data, a partner that takes everything, and the bare server, each a process of its own.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedDatabase } from '#embedded-database';
import pg from 'pg';
import { startGateway } from '../scripts/gateway-process.mjs';
import { authorization } from './cases.mjs';
import { ACTORS, displayNameOf } from './seed.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Starts a server of this directory as a child process; it ends when the IPC channel closes. */
function startChild(file, message) {
  const child = fork(join(here, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((started, failed) => {
    child.once('exit', (code) => failed(new Error(`${file} ended with ${code}`)));
    child.once('message', ({ port }) =>
      started({ url: `http://127.0.0.1:${port}`, port, pid: child.pid, child }),
    );
    child.send(message);
  });
}

function endChild(child) {
  // It ended by itself, and what it was asked for has failed.
  if (!child.connected) return undefined;
  const gone = new Promise((done) => child.removeAllListeners('exit').once('exit', done));
  child.disconnect();
  return gone;
}

/** The text of a reply. @throws Error where it is not 2xx */
export async function bytesOf(server, { method, path, headers, body }) {
  const reply = await fetch(server.url + path, { method, headers, body });
  if (!reply.ok)
    throw new Error(`${method} ${server.url}${path}: HTTP ${reply.status}\n${await reply.text()}`);
  return reply.text();
}

async function capabilitiesOf(gateway) {
  const get = (format) =>
    bytesOf(gateway, {
      method: 'GET',
      path: `/ocs/v2.php/cloud/capabilities?format=${format}`,
      headers: { authorization: authorization(ACTORS.lister.uid) },
    });
  return { json: await get('json'), xml: await get('xml') };
}

const accountsOf = (actors) =>
  Object.values(actors).map(({ uid }) => ({
    uid,
    name: displayNameOf(uid),
    digest: createHash('sha256').update(authorization(uid)).digest('hex'),
  }));

/**
 * Runs `use` in a world that is made for it and taken away afterwards.
 *
 * @param {{seed: Function, actors: object, baseline: string, environment?: object}} description `baseline` is a file of
 *   this directory, `environment` what the gateway is started with beside the usual
 */
export async function inWorld({ seed, actors, baseline: file, environment = {} }, use) {
  const gateway = await startGateway({ COMPATIBILITY: 'owncloud10', ...environment });
  const { dataDir: dataDirectory } = gateway;
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'command' });
  const database = new pg.Client({ connectionString: embedded.url });
  const children = [];
  try {
    await database.connect();
    const sink = await startChild('delivery-sink.mjs', {});
    children.push(sink.child);
    await seed(database, sink, gateway);
    const capabilities = await capabilitiesOf(gateway);
    const known = { accounts: accountsOf(actors), capabilities, sink: { url: sink.url, port: sink.port } };
    const baseline = await startChild(file, { dataDirectory, ...known });
    children.push(baseline.child);
    const bare = await startChild('bare.mjs', {});
    children.push(bare.child);
    await use({ gateway, baseline, bare, database, sink });
  } finally {
    for (const child of children) await endChild(child);
    await database.end();
    await embedded.stop();
    await gateway.stop();
  }
}
