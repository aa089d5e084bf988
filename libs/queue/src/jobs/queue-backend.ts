import type { ConnectionOptions } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { ConfigError, type Config } from '#platform';

/** Where jobs are kept. */
export type QueueBackend =
  | {
      readonly kind: 'redis';
      readonly url: string;
      /** First part of every key, so that several instances can use one Redis. */
      readonly prefix: string;
    }
  /** Tables of their own schema in the instance's database. */
  | { readonly kind: 'postgres'; readonly url: string };

/** Redis where one is configured, the instance's database otherwise. @throws ConfigError without either */
export function queueBackendOf(
  config: Pick<Config, 'REDIS_URL' | 'QUEUE_PREFIX' | 'DATABASE_URL'>,
): QueueBackend {
  if (config.REDIS_URL) return { kind: 'redis', url: config.REDIS_URL, prefix: config.QUEUE_PREFIX };
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is not set.');
  return { kind: 'postgres', url: config.DATABASE_URL };
}

/** Schema of the queue's own tables; its library creates and migrates it. */
const SCHEMA = 'bullmq';

/** How queues and workers reach their backend. */
export type QueueConnection =
  | {
      readonly kind: 'redis';
      readonly client: Redis;
      readonly options: ConnectionOptions;
      readonly prefix: string;
    }
  /** Every queue and every worker has a pool of its own. */
  | { readonly kind: 'postgres'; readonly options: PostgresOptions };

// Not an interface: the library's type asks for an index signature.
type PostgresOptions = {
  connectionString: string;
  schema: string;
  migrate: boolean;
  max: number;
  keepAlive: boolean;
  application_name: string;
};

/**
 * The connection belongs to this program and not to the queue library, which waits for ever for a Redis that is away
 * when it is to close one of its own.
 */
export function connect(backend: QueueBackend, redis: RedisOptions, poolSize: number): QueueConnection {
  if (backend.kind === 'redis') {
    const client = new Redis(backend.url, redis);
    // Reported by every queue and worker on it.
    client.on('error', () => undefined);
    // The library takes such a client, but its type asks for an index signature that classes do not have.
    return { kind: 'redis', client, options: client as unknown as ConnectionOptions, prefix: backend.prefix };
  }
  const options = {
    connectionString: backend.url,
    schema: SCHEMA,
    migrate: true,
    max: poolSize,
    keepAlive: true,
  };
  return { kind: 'postgres', options: { ...options, application_name: 'drawbridge queue' } };
}

/** Ends a connection when nothing uses it any more; pools end with their queues and workers. */
export function disconnect(connection: QueueConnection): void {
  if (connection.kind === 'redis') connection.client.disconnect();
}
