import { ConfigError, readConfig } from '#platform';
import { queueBackendOf } from './queue-backend';

const URL = 'redis://drawbridge:hush@ignored.example.org:6379/3';
const backendOf = (env: Record<string, string>) => queueBackendOf(readConfig(env));
const SENTINELS = 's1.example.org,s2.example.org:5000';

it('is the Redis of an address', () => {
  expect(backendOf({ REDIS_URL: URL })).toEqual({ kind: 'redis', url: URL, prefix: 'drawbridge' });
});

it('is the master that sentinels name', () => {
  const env = {
    REDIS_URL: URL,
    REDIS_SENTINELS: SENTINELS,
    REDIS_SENTINEL_MASTER: 'mymaster',
    REDIS_SENTINEL_PASSWORD: 'quiet',
  };
  expect(backendOf(env)).toEqual({
    kind: 'redis',
    url: URL,
    prefix: 'drawbridge',
    sentinels: {
      at: [
        { host: 's1.example.org', port: 26_379 },
        { host: 's2.example.org', port: 5000 },
      ],
      master: 'mymaster',
      user: undefined,
      password: 'quiet',
    },
  });
});

it.each([
  [
    { REDIS_URL: URL, REDIS_SENTINELS: SENTINELS },
    'REDIS_SENTINELS is set, but REDIS_SENTINEL_MASTER is not',
  ],
  [
    { REDIS_SENTINELS: SENTINELS, REDIS_SENTINEL_MASTER: 'mymaster' },
    'REDIS_SENTINELS is set, but REDIS_URL is not',
  ],
  [
    { REDIS_URL: URL, REDIS_SENTINEL_MASTER: 'mymaster' },
    'REDIS_SENTINEL_MASTER is set, but REDIS_SENTINELS is not',
  ],
  [
    { REDIS_URL: URL, REDIS_SENTINEL_PASSWORD: 'hush' },
    'REDIS_SENTINEL_PASSWORD is set, but REDIS_SENTINELS is not',
  ],
  [
    {
      REDIS_URL: URL,
      REDIS_SENTINELS: SENTINELS,
      REDIS_SENTINEL_MASTER: 'mymaster',
      REDIS_SENTINEL_USER: 'drawbridge',
    },
    'REDIS_SENTINEL_USER is set, but REDIS_SENTINEL_PASSWORD is not',
  ],
])('is refused by halves: %j', (env, sentence) => {
  const open = (): unknown => backendOf({ DATABASE_URL: 'postgres://db/x', ...env });
  expect(open).toThrow(ConfigError);
  expect(open).toThrow(sentence);
  expect(open).not.toThrow('hush');
});
