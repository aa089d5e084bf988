import type { QueueBackend } from './jobs/queue-backend';
import { openRedis } from './jobs/redis-connection';

/** Facts that a Redis server reports about itself. */
export interface RedisFacts {
  /** A version such as 7.4.1. */
  readonly version: string;
  /** Its reaction to full memory. */
  readonly evictionPolicy: string;
  /** Whether its data survive a restart. */
  readonly appendsToFile: boolean;
  /** Replicas that follow it at this moment. */
  readonly replicas: number;
  /** Connections of workers that wait for deliveries of this instance. */
  readonly workers: number;
}

const CONNECT_MS = 5_000;

/** Reads facts from a Redis once: with sentinels, from the master. @throws errors of the connection, never with its address, which contains a password */
export async function inspectRedis(backend: Extract<QueueBackend, { kind: 'redis' }>): Promise<RedisFacts> {
  const client = openRedis(backend, {
    lazyConnect: true,
    sentinelRetryStrategy: () => null,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let failure: Error | undefined;
  client.on('error', (error) => (failure = error));
  try {
    await client.connect();
    const facts = readInfo(await client.info());
    const clients = String(await client.client('LIST'));
    // The queue library gives the connection of each worker this name.
    const name = `${backend.prefix}:${Buffer.from('delivery').toString('base64')}`;
    const workers = clients.split('\n').filter((line) => line.includes(` name=${name}`)).length;
    return {
      version: facts.get('redis_version') ?? '0',
      evictionPolicy: facts.get('maxmemory_policy') ?? 'unknown',
      appendsToFile: facts.get('aof_enabled') === '1',
      replicas: Number(facts.get('connected_slaves') ?? 0),
      workers,
    };
  } catch (error) {
    // The first failure says more than the error about the closed connection.
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
}

/** Lines such as `redis_version:7.4.1`. */
function readInfo(text: string): Map<string, string> {
  const pairs = text.split('\r\n').filter((line) => line.includes(':'));
  return new Map(pairs.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}
