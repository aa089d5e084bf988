import { Redis, type RedisOptions } from 'ioredis';
import { ConfigError, type Config, type Endpoint } from '#platform';

/** The Redis of an address, or the present master of several servers that sentinels watch. */
export interface RedisPlace {
  /** With sentinels, its host and port are not used. */
  readonly url: string;
  readonly sentinels?: Sentinels;
}

export interface Sentinels {
  readonly at: readonly Endpoint[];
  /** Name of the master in their configuration. */
  readonly master: string;
  readonly user?: string;
  readonly password?: string;
}

/** Variables that say where Redis is. */
export type RedisVariables = Pick<
  Config,
  | 'REDIS_URL'
  | 'REDIS_SENTINELS'
  | 'REDIS_SENTINEL_MASTER'
  | 'REDIS_SENTINEL_USER'
  | 'REDIS_SENTINEL_PASSWORD'
>;

/** @returns undefined without Redis @throws ConfigError if a variable is set without another one that it needs */
export function redisPlaceOf(config: RedisVariables): RedisPlace | undefined {
  const needs = (variable: keyof RedisVariables, other: keyof RedisVariables, why: string): void => {
    if (config[variable] !== undefined && config[other] === undefined)
      throw new ConfigError(`${variable} is set, but ${other} is not: ${why}.`);
  };
  for (const variable of ['REDIS_SENTINEL_MASTER', 'REDIS_SENTINEL_USER', 'REDIS_SENTINEL_PASSWORD'] as const)
    needs(variable, 'REDIS_SENTINELS', 'name the sentinels, or take it away');
  needs('REDIS_SENTINELS', 'REDIS_SENTINEL_MASTER', 'name the master that they watch');
  needs('REDIS_SENTINELS', 'REDIS_URL', 'set it to the user, password and TLS of the Redis servers');
  needs('REDIS_SENTINEL_USER', 'REDIS_SENTINEL_PASSWORD', 'a user signs in with a password');
  const { REDIS_URL: url, REDIS_SENTINELS: at, REDIS_SENTINEL_MASTER: master } = config;
  if (url === undefined) return undefined;
  if (at === undefined || master === undefined) return { url };
  const { REDIS_SENTINEL_USER: user, REDIS_SENTINEL_PASSWORD: password } = config;
  return { url, sentinels: { at, master, user, password } };
}

/** Limits for one sentinel and one server: the others are tried after them. */
const SENTINEL_MS = 2_000;
const SERVER_MS = 3_000;
/** Time between two questions to a server, and the time after which a silent one is left: a machine that vanished closes no connection. */
const ASK_EVERY_MS = 5_000;
const SILENCE_MS = 10_000;

/** Opens a connection that finds the server again after an outage, and the new master after a failover. */
export function openRedis(place: RedisPlace, options: RedisOptions): Redis {
  const client = new Redis(place.url, { ...optionsOf(place), ...options });
  watchSilence(client);
  return client;
}

/** Whether servers and sentinels are reached by TLS. */
export const isEncrypted = ({ url }: RedisPlace): boolean => url.startsWith('rediss:');

function optionsOf(place: RedisPlace): RedisOptions {
  if (!place.sentinels) return {};
  const { at, master, user, password } = place.sentinels;
  const tls = isEncrypted(place) ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  return {
    ...tls,
    sentinels: at.map(({ host, port }) => ({ host, port })),
    name: master,
    sentinelUsername: user,
    sentinelPassword: password,
    sentinelCommandTimeout: SENTINEL_MS,
    connectTimeout: SERVER_MS,
    // Only configured addresses are called.
    updateSentinels: false,
    // A master that became a replica refuses writes, and ends the waiting of workers: the call is sent again to the new master.
    reconnectOnError: ({ message }) => (/READONLY|UNBLOCKED/.test(message) ? 2 : false),
  };
}

/** Connects again if the server is silent. Connections that only wait for jobs are watched by the queue library. */
function watchSilence(client: Redis): void {
  const timer = setInterval(() => {
    if (client.status !== 'ready') return;
    const overdue = setTimeout(() => {
      if (client.status === 'ready') client.disconnect(true);
    }, SILENCE_MS).unref();
    const settle = (): void => clearTimeout(overdue);
    client.ping().then(settle, settle);
  }, ASK_EVERY_MS).unref();
  client.once('end', () => clearInterval(timer));
}
