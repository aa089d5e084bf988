import { readConfig, refusedValues } from '#platform';
import { judge } from './configuration';

const GOOD = {
  PUBLIC_URL: 'https://cloud.example.org',
  TRUSTED_PROXIES: '10.1.0.0/16',
  DATABASE_URL: 'postgres://u:geheim@db.example.org/d?sslmode=verify-full',
  REDIS_URL: 'rediss://:geheim@redis.example.org',
  ENCRYPTION_KEY: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
};

const judged = (env: Record<string, string>): string[] =>
  judge(readConfig({ ...GOOD, ...env })).map(({ subject, state }) => `${state} ${subject}`);

it('has no finding for a good configuration', () => {
  expect(judge(readConfig(GOOD))).toEqual([]);
});

it.each([
  [{ PUBLIC_URL: '' }, 'warning PUBLIC_URL'],
  [{ PUBLIC_URL: 'http://cloud.example.com' }, 'failed PUBLIC_URL'],
  [{ PUBLIC_URL: 'http://10.0.0.3:8080' }, 'warning PUBLIC_URL'],
  [{ TRUSTED_PROXIES: '' }, 'warning TRUSTED_PROXIES'],
  [{ TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }, 'failed TRUSTED_PROXIES'],
  [{ FEDERATION_ALLOW_HTTP: 'true' }, 'warning FEDERATION_ALLOW_HTTP'],
  [{ FEDERATION_ALLOW_ADDRESSES: '169.254.0.0/16' }, 'failed FEDERATION_ALLOW_ADDRESSES'],
  [{ FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8' }, 'warning FEDERATION_ALLOW_ADDRESSES'],
  [{ S3_ENDPOINT: 'https://s3.example.org' }, 'warning BLOB_STORE'],
  [{ BLOB_STORE: 's3://bucket', S3_ENDPOINT: 'http://s3.example.org' }, 'warning S3_ENDPOINT'],
  [{ DATABASE_URL: 'postgres://u:geheim@db.example.org/d' }, 'warning DATABASE_URL'],
  [{ REDIS_URL: 'redis://:geheim@redis.example.org' }, 'warning REDIS_URL'],
  [{ REDIS_URL: 'redis://:geheim@localhost', REDIS_SENTINELS: 's1.example.org' }, 'warning REDIS_URL'],
  [{ SMTP_URL: 'smtp://u:geheim@mail.example.org' }, 'warning SMTP_URL'],
  [{ ENCRYPTION_KEY: '00'.repeat(32) }, 'failed ENCRYPTION_KEY'],
  [{ ENCRYPTION_KEY_FILE: '/nowhere' }, 'failed ENCRYPTION_KEY'],
  [{ ADMIN_PASSWORD: 'geheim' }, 'warning ADMIN_PASSWORD'],
  [{ LOG_LEVEL: 'silent' }, 'warning LOG_LEVEL'],
  [{ LOG_LEVEL: 'trace' }, 'warning LOG_LEVEL'],
  [{ METRICS_PORT: '9464', HOST: '0.0.0.0' }, 'warning METRICS_PORT'],
  [{ CORS_ORIGINS: 'http://office.example.org' }, 'warning CORS_ORIGINS'],
])('%j: %s', (env, finding) => {
  expect(judged(env as Record<string, string>)).toEqual([finding]);
});

it('shows no secret', () => {
  const env = {
    ...GOOD,
    PUBLIC_URL: '',
    SMTP_URL: 'smtp://u:geheim@mail.example.org',
    ADMIN_PASSWORD: 'geheim',
  };
  const open = {
    DATABASE_URL: 'postgres://u:geheim@db.example.org/d',
    REDIS_URL: 'redis://:geheim@r.example.org',
  };
  expect(JSON.stringify(judge(readConfig({ ...env, ...open })))).not.toContain('geheim');
});

it('names every unreadable value, not only the first', () => {
  const refused = refusedValues({ PORT: 'many', SHUTDOWN_GRACE: '20' });
  expect(refused).toEqual([expect.stringContaining('PORT'), expect.stringContaining('SHUTDOWN_GRACE')]);
});
