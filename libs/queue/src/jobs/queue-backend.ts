import type { ConnectionOptions } from 'bullmq';
import type { Redis, RedisOptions } from 'ioredis';
import { ConfigError, type Config } from '#platform';
import { openRedis, redisPlaceOf, type RedisPlace, type RedisVariables } from './redis-connection';
import { SharedPostgres } from './shared-postgres';

/** Storage of jobs. */
export type QueueBackend =
  | (RedisPlace & {
      readonly kind: 'redis';
      /** Prefix of every key, so that several instances can use one Redis. */
      readonly prefix: string;
    })
  /** Tables in a separate schema of the instance's database. */
  | { readonly kind: 'postgres'; readonly url: string };

/** Redis if it is configured, otherwise the instance's database. @throws ConfigError without either, or if Redis is configured by halves */
export function queueBackendOf(
  config: RedisVariables & Pick<Config, 'QUEUE_PREFIX' | 'DATABASE_URL'>,
): QueueBackend {
  const place = redisPlaceOf(config);
  if (place) return { kind: 'redis', ...place, prefix: config.QUEUE_PREFIX };
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is not set.');
  return { kind: 'postgres', url: config.DATABASE_URL };
}

/** Connection of queues and workers to their backend. */
export type QueueConnection =
  | {
      readonly kind: 'redis';
      readonly client: Redis;
      readonly options: ConnectionOptions;
      readonly prefix: string;
    }
  | { readonly kind: 'postgres'; readonly connection: SharedPostgres };

/**
 * Opens the connection of several queues or workers. It belongs to this program: the queue library would wait for ever for an absent
 * Redis when it closes its own connection. @param poolSize connections to Postgres at most
 */
export function connect(backend: QueueBackend, redis: RedisOptions, poolSize: number): QueueConnection {
  if (backend.kind === 'redis') {
    const client = openRedis(backend, redis);
    // Every queue and worker on the connection reports it.
    client.on('error', () => undefined);
    // The library accepts such a client, but its type asks for an index signature, which classes do not have.
    return { kind: 'redis', client, options: client as unknown as ConnectionOptions, prefix: backend.prefix };
  }
  return { kind: 'postgres', connection: new SharedPostgres(backend.url, poolSize) };
}

/** Closes the connection. Its queues and workers have to be closed before. */
export async function disconnect(connection: QueueConnection): Promise<void> {
  if (connection.kind === 'redis') connection.client.disconnect();
  else await connection.connection.close();
}
