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

/** How the Postgres backend connects; every queue and every worker has a pool of its own. */
export function postgresConnection(url: string, poolSize: number) {
  return {
    connectionString: url,
    schema: SCHEMA,
    migrate: true,
    max: poolSize,
    keepAlive: true,
    application_name: 'drawbridge queue',
  };
}
