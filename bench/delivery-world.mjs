// A worker as in production on Redis, its database, and partners in a separate process.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import { SecretBox } from '#platform';
import pg from 'pg';
import { temporaryDirectory } from '../scripts/gateway-process.mjs';
import { forkHere, KEY, startRedis, startWorker } from './delivery-processes.mjs';

/**
 * Runs `work` with a new world, and ends it afterwards.
 *
 * @template T
 * @param {string} sinkFile the partners' file in this directory
 * @param {(world: {client: import('pg').Client, database: Database, sink: import('node:child_process').ChildProcess, sealed: Buffer, worker: object, cluster: string}) => Promise<T>} work
 *   `sealed` is the secret of a share, as messages have it; `cluster` is PostgreSQL's directory
 * @param {NodeJS.ProcessEnv} environment more variables of the worker
 * @returns {Promise<T | undefined>} undefined without redis-server
 */
export async function withDeliveryWorld(sinkFile, work, environment = {}) {
  const redis = await startRedis();
  if (redis === undefined) return undefined;
  const dataDirectory = temporaryDirectory('bench');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway' });
  const client = new pg.Client({ connectionString: embedded.url });
  const sink = forkHere(sinkFile);
  const database = await Database.connect({ url: embedded.url, poolSize: 2, applicationName: 'bench' });
  let worker;
  try {
    await migrate(database);
    await client.connect();
    const sealed = new SecretBox(() => Buffer.from(KEY, 'hex')).seal('SharedSecretOfTheBench');
    worker = await startWorker({ DATABASE_URL: embedded.url, REDIS_URL: redis.url, ...environment });
    return await work({ client, database, sink, sealed, worker, cluster: join(dataDirectory, 'postgres') });
  } finally {
    worker?.kill('SIGTERM');
    if (worker) await new Promise((ended) => worker.once('exit', ended));
    sink.disconnect();
    redis.stop();
    await client.end();
    await database.close();
    await embedded.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

// The defaults of a new partner, except its rate: its rate would be the only measured limit.
const PEERS = `INSERT INTO peer (host_key, rate_per_second, rate_burst)
  SELECT host, 1e6, 1000000 FROM unnest($1::text[]) AS host RETURNING id`;

/** Makes partners without a limit of their rate. @param {string[]} hosts with ports @returns {Promise<string[]>} their ids */
export const addPartners = async (client, hosts) =>
  (await client.query(PEERS, [hosts])).rows.map(({ id }) => id);
