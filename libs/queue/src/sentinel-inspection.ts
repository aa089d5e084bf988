import { Redis } from 'ioredis';
import type { Endpoint } from '#platform';
import { isEncrypted, type RedisPlace, type Sentinels } from './jobs/redis-connection';

/** Answers of one sentinel. */
export interface SentinelFacts {
  /** Its address, such as s1.example.org:26379. */
  readonly address: string;
  /** Reason if it does not answer; then the others are undefined. */
  readonly failure?: string;
  /** Address of the present master; undefined if it knows none of that name. */
  readonly master?: string;
  /** Reason why the sentinels could not agree on a failover; undefined if they could. */
  readonly obstacle?: string;
}

const LIMIT_MS = 5_000;

/** Asks each sentinel once, all at the same time. */
export function inspectSentinels(place: RedisPlace): Promise<SentinelFacts[]> {
  const { sentinels } = place;
  if (!sentinels) return Promise.resolve([]);
  return Promise.all(sentinels.at.map((one) => inspect(one, sentinels, isEncrypted(place))));
}

async function inspect(
  { host, port }: Endpoint,
  { master, user, password }: Sentinels,
  encrypted: boolean,
): Promise<SentinelFacts> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const client = new Redis({
    ...{ host, port, username: user, password, lazyConnect: true, enableReadyCheck: false },
    ...(encrypted ? { tls: {} } : {}),
    ...{ connectTimeout: LIMIT_MS, commandTimeout: LIMIT_MS, maxRetriesPerRequest: 0 },
    retryStrategy: () => null,
  });
  let failure: Error | undefined;
  client.on('error', (error) => (failure ??= error));
  try {
    await client.connect();
    const named = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)) as string[] | null;
    if (!named) return { address };
    const obstacle = await client.call('SENTINEL', 'CKQUORUM', master).then(
      () => undefined,
      (error: Error) => error.message,
    );
    return { address, master: named.join(':'), obstacle };
  } catch (error) {
    const { code, message } = (failure ?? error) as NodeJS.ErrnoException;
    return { address, failure: code ?? message };
  } finally {
    client.disconnect();
  }
}
