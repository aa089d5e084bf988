import * as parse from './parsers';
import { optional, required } from './variable';

/** Variables of the queue's Redis, and of the sentinels that watch it. */
export const QUEUE_VARIABLES = {
  REDIS_URL: optional({
    parse: parse.redisAddress,
    meaning:
      'A Redis (7 or newer, append-only file on, maxmemory-policy noeviction) that schedules deliveries. Without it they are scheduled in the database: enough for a small instance.',
    example: 'redis://:secret@redis.example.org:6379/0',
    secret: true,
  }),
  REDIS_SENTINELS: optional({
    parse: parse.sentinelList,
    meaning:
      'Sentinels that watch several Redis servers and name the one to use, its master. REDIS_URL then says how to sign in to the servers (user, password, number of the database, and TLS by rediss); its host is not used. Sentinels are reached by TLS if the servers are.',
    example: 's1.example.org:26379,s2.example.org:26379,s3.example.org:26379',
  }),
  REDIS_SENTINEL_MASTER: optional({
    parse: parse.sentinelMaster,
    meaning: 'Name of the master in the configuration of the sentinels; required with REDIS_SENTINELS.',
    example: 'mymaster',
  }),
  REDIS_SENTINEL_USER: optional({
    parse: parse.text,
    meaning: 'User that signs in to the sentinels; their default user when absent.',
    example: 'drawbridge',
  }),
  REDIS_SENTINEL_PASSWORD: optional({
    parse: parse.text,
    meaning:
      'Password of the sentinels, if they require one. The password of REDIS_URL is never sent to them.',
    example: 'secret',
    secret: true,
  }),
  QUEUE_PREFIX: required({
    parse: parse.shortName,
    fallback: 'drawbridge',
    meaning: 'First part of all keys in Redis; instances that share one Redis need one each.',
  }),
} as const;
