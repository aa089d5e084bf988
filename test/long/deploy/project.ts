import { randomBytes } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuth, eventually, REPOSITORY } from '#testing';
import type { Engine } from './engine';
import { IMAGES } from './images';
import { run, type Ended, type RunOptions } from './programs';

/** Long enough for the start of six processes on a busy machine. */
export const SLOW_MS = 10 * 60_000;

export interface ProjectOptions {
  readonly name: string;
  /** At the first address of its network, which is one of this machine. */
  readonly port: number;
  readonly httpsPort: number;
  /** Third number of its network's address. */
  readonly network: number;
  readonly variables?: Readonly<Record<string, string>>;
  /** A compose file that overrides parts of the repository's file. */
  readonly overlay?: string;
}

/** One instance from docker-compose.yml, in a separate directory with its own `.env`. */
export class Project {
  readonly admin = { uid: 'admin', password: randomBytes(12).toString('hex') };

  private constructor(
    private readonly engine: Engine,
    readonly options: ProjectOptions,
    readonly directory: string,
  ) {}

  static make(engine: Engine, options: ProjectOptions): Project {
    const directory = mkdtempSync(join(tmpdir(), `drawbridge-${options.name}-`));
    copyFileSync(join(REPOSITORY, 'docker-compose.yml'), join(directory, 'docker-compose.yml'));
    cpSync(join(REPOSITORY, 'deploy'), join(directory, 'deploy'), { recursive: true });
    mkdirSync(join(directory, 'k8s/components'), { recursive: true });
    if (options.overlay !== undefined)
      writeFileSync(join(directory, 'docker-compose.override.yml'), options.overlay);
    const project = new Project(engine, options, directory);
    project.configure({});
    return project;
  }

  /** An address of this machine alone, which containers reach too. */
  get url(): string {
    return `http://${this.gateway}:${this.options.port}`;
  }

  get subnet(): string {
    return `172.31.${this.options.network}.0/24`;
  }

  /** The machine's address for containers of this project. */
  get gateway(): string {
    return `172.31.${this.options.network}.1`;
  }

  get encryptionKey(): string {
    return this.secrets.ENCRYPTION_KEY;
  }

  private readonly secrets = {
    POSTGRES_PASSWORD: randomBytes(16).toString('hex'),
    REDIS_PASSWORD: randomBytes(16).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  };
  private variables: Readonly<Record<string, string>> = {};

  /** Writes `.env`, with more variables than before. */
  configure(more: Readonly<Record<string, string>>): void {
    this.variables = {
      ...IMAGES,
      ...this.secrets,
      ADMIN_PASSWORD: this.admin.password,
      PUBLIC_URL: this.url,
      COMPOSE_PROJECT_NAME: this.options.name,
      HTTP_PORT: `${this.gateway}:${this.options.port}`,
      HTTPS_PORT: `${this.gateway}:${this.options.httpsPort}`,
      SUBNET: this.subnet,
      ...this.options.variables,
      ...this.variables,
      ...more,
    };
    const lines = Object.entries(this.variables).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(this.directory, '.env'), lines.join(''), { mode: 0o600 });
  }

  /** @throws Error if it fails. @returns its standard output */
  compose(...args: string[]): Promise<string> {
    return this.engine.compose(args, this.here({}));
  }

  tryCompose(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.engine.tryCompose(args, this.here(options));
  }

  /**
   * Runs commands of a page in a directory that has no `.env` yet. Images, names and addresses of the test come from the environment,
   * which has precedence over `.env`. The images exist already, so nothing is built.
   */
  runCommands(commands: string): Promise<Ended> {
    const ofThePage = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'ENCRYPTION_KEY', 'ADMIN_PASSWORD'];
    const given = Object.entries(this.variables).filter(([name]) => !ofThePage.includes(name));
    rmSync(join(this.directory, '.env'));
    return run('bash', ['-c', `set -e\n${commands.replace(' --build', ' --no-build --wait')}`], {
      cwd: this.directory,
      env: { ...Object.fromEntries(given), ...this.engine.commandEnvironment() },
    });
  }

  /** Runs `drawbridge` with the same environment as the apps. */
  drawbridge(...args: string[]): Promise<Ended> {
    return this.tryCompose(['run', '--rm', '-T', '--no-deps', 'files', 'drawbridge', ...args]);
  }

  async up(...services: string[]): Promise<void> {
    await this.compose('up', '-d', '--no-build', '--wait', '--wait-timeout', '600', ...services);
  }

  /** Removes everything of the project, once. */
  async down(): Promise<void> {
    if (!existsSync(this.directory)) return;
    await this.tryCompose(['--profile', '*', 'down', '--volumes', '--timeout', '5']);
    rmSync(this.directory, { recursive: true, force: true });
  }

  fetch(
    path: string,
    init: RequestInit & { as?: { uid: string; password: string } } = {},
  ): Promise<Response> {
    const { as = this.admin, headers, ...rest } = init;
    return fetch(this.url + path, {
      ...rest,
      headers: { authorization: basicAuth(as.uid, as.password), ...(headers as Record<string, string>) },
      signal: AbortSignal.timeout(SLOW_MS),
    });
  }

  /** Waits until the administrator gets an answer, through the proxy, the app and its database. */
  async answers(path = '/ocs/v2.php/cloud/user?format=json'): Promise<void> {
    await eventually(
      `an answer of ${this.options.name}`,
      async () => {
        const { status } = await this.fetch(path).catch(() => ({ status: 0 }));
        return status === 200 || undefined;
      },
      SLOW_MS,
    );
  }

  /** Facts about each running container, by service. */
  async containers(): Promise<{ service: string; id: string; pid: number; user: string; ports: string[] }[]> {
    const ids = (await this.compose('ps', '-q')).split('\n').filter(Boolean);
    const facts = JSON.parse(await this.engine.docker(['inspect', ...ids])) as Inspected[];
    return facts.map(({ Id: id, State, Config, NetworkSettings }) => ({
      service: Config.Labels['com.docker.compose.service']!,
      id,
      pid: State.Pid,
      user: Config.User,
      ports: Object.values(NetworkSettings.Ports).flatMap((bound) =>
        (bound ?? []).map(({ HostIp, HostPort }) => `${HostIp}:${HostPort}`),
      ),
    }));
  }

  private here(options: RunOptions): RunOptions {
    return { ...options, cwd: this.directory };
  }
}

interface Inspected {
  readonly Id: string;
  readonly State: { readonly Pid: number };
  readonly Config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, readonly { HostIp: string; HostPort: string }[] | null>>;
  };
}
