// A gateway with its data, its baseline, a partner that accepts everything, and the bare server, each as a separate process.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedDatabase } from '#embedded-database';
import pg from 'pg';
import { startGateway } from '../scripts/gateway-process.mjs';
import { authorization } from './cases.mjs';
import { agentEnvironment, agentSocket } from './profile/orders.mjs';
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
  // The process ended by itself, so its task has failed.
  if (!child.connected) return undefined;
  const gone = new Promise((done) => child.removeAllListeners('exit').once('exit', done));
  child.disconnect();
  return gone;
}

/** The text of a reply. @throws Error if it is not 2xx */
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
 * A gateway with an empty database, and a connection to it. The functions in `closers` remove them.
 *
 * @param {object} environment more variables for the gateway
 * @param {string} [root] of the clone with its build; this one by default
 */
export async function openProduct(environment, root, closers) {
  const gateway = await startGateway({ COMPATIBILITY: 'owncloud10', ...environment }, root);
  closers.push(() => gateway.stop());
  const embedded = await openEmbeddedDatabase({ dataDirectory: gateway.dataDir, role: 'command' });
  closers.push(() => embedded.stop());
  const database = new pg.Client({ connectionString: embedded.url });
  await database.connect();
  closers.push(() => database.end());
  return { gateway, database, databaseUrl: embedded.url };
}

/** Runs `use` with a list of functions that it fills, and calls them after it, the last one first. */
export async function withClosers(use) {
  const closers = [];
  try {
    return await use(closers);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** A gateway with its data, and a partner that accepts everything. The functions in `closers` remove them. */
async function openGateway({ seed, environment = {} }, { root, agent }, closers) {
  const profiled = agent ? agentEnvironment(agent) : {};
  const { gateway, database } = await openProduct({ ...environment, ...profiled }, root, closers);
  const sink = await startChild('delivery-sink.mjs', {});
  closers.push(() => endChild(sink.child));
  await seed(database, sink, gateway);
  return { server: gateway, database, sink, cluster: join(gateway.dataDir, 'postgres') };
}

async function openBaseline({ baseline: file, actors }, { server, sink }, closers) {
  const known = {
    accounts: accountsOf(actors),
    capabilities: await capabilitiesOf(server),
    sink: { url: sink.url, port: sink.port },
  };
  const baseline = await startChild(file, { dataDirectory: server.dataDir, ...known });
  closers.push(() => endChild(baseline.child));
  const bare = await startChild('bare.mjs', {});
  closers.push(() => endChild(bare.child));
  return { baseline, bare };
}

async function openWorld(description, { profile, other }, closers) {
  const agent = profile ? agentSocket() : undefined;
  const product = await openGateway(description, { agent }, closers);
  const profiled = agent && { agent };
  const processesOf = (baseline, clusters) => ({
    servers: [product.server.pid, baseline.pid],
    clusters,
  });
  if (other) {
    const baseline = await openGateway(description, { root: other.root }, closers);
    const processes = processesOf(baseline.server, [product.cluster, baseline.cluster]);
    return { sides: { product, baseline }, against: other.commit, profiled, processes };
  }
  const { baseline, bare } = await openBaseline(description, product, closers);
  const sides = { product, baseline: { ...product, server: baseline } };
  return { sides, bare, profiled, processes: processesOf(baseline, [product.cluster]) };
}

/**
 * Runs `use` with servers that are started before it and removed after it.
 *
 * @param {{seed: Function, actors: object, baseline: string, environment?: object}} description `baseline` is a file of this
 *   directory, `environment` more variables for the gateway
 * @param {{profile?: boolean, other?: {root: string, commit: string}}} options `other` is a build with separate data that
 *   replaces the baseline
 */
export const inWorld = (description, options, use) =>
  withClosers(async (closers) => use(await openWorld(description, options, closers)));
