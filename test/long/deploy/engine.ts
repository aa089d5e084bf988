import { spawn, type ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '#testing';
import { isInstalled, run, succeed, type Ended, type RunOptions } from './programs';

const PACKAGES: Readonly<Record<string, string>> = {
  dockerd: 'docker.io',
  containerd: 'containerd',
  runc: 'runc',
  debootstrap: 'debootstrap',
  iptables: 'iptables',
};
/** The engine and its images remain after a run, because their build takes minutes. */
const CACHE = process.env.DEPLOY_CACHE ?? '/var/cache/drawbridge-deploy';
const START_MS = 120_000;
/** The Compose version that reads docker-compose.yml; bookworm has an older one. */
const COMPOSE = join(CACHE, 'tools/usr/libexec/docker/cli-plugins/docker-compose');

/**
 * A container engine for this run only, from Debian's packages. Its images, containers and sockets are in a separate
 * directory, and it sets no rules for the machine's network. Containers reach each other and are reachable at loopback;
 * they reach nothing else.
 */
export class Engine {
  private constructor(
    private readonly daemon: ChildProcess,
    private readonly directory: string,
    readonly host: string,
  ) {}

  /** The reason why there can be no engine here; undefined if there can be one. */
  static hindrance(): string | undefined {
    if (process.getuid?.() !== 0) return 'it needs root';
    const missing = Object.keys(PACKAGES).filter((program) => !isInstalled(program));
    return missing.length === 0
      ? undefined
      : `apt-get install ${missing.map((program) => PACKAGES[program]).join(' ')}`;
  }

  static async start(): Promise<Engine> {
    mkdirSync(CACHE, { recursive: true });
    await fetchCompose();
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-deploy-'));
    const host = `unix://${directory}/docker.sock`;
    const daemon = spawn(
      'dockerd',
      [
        ...['--data-root', join(CACHE, 'engine'), '--exec-root', join(directory, 'exec')],
        ...['--pidfile', join(directory, 'pid'), '--host', host, '--bridge=none'],
        ...['--iptables=false', '--ip6tables=false', '--ip-forward=false'],
        ...['--exec-opt', 'native.cgroupdriver=cgroupfs'],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const said: string[] = [];
    daemon.stderr.on('data', (text) => said.push(String(text)));
    const engine = new Engine(daemon, directory, host);
    try {
      await eventually(
        'a container engine',
        async () => {
          if (daemon.exitCode !== null) throw new Error(`dockerd ended:\n${said.join('').slice(-2000)}`);
          return (await engine.tryDocker(['version'])).code === 0 || undefined;
        },
        START_MS,
      );
      return engine;
    } catch (error) {
      await engine.stop();
      throw error;
    }
  }

  /** @throws Error if it fails. @returns its standard output */
  docker(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return succeed('/usr/bin/docker', args, this.within(options));
  }

  tryDocker(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return run('/usr/bin/docker', args, this.within(options));
  }

  /** @throws Error if it fails. @returns its standard output */
  compose(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return succeed(COMPOSE, args, this.within(options));
  }

  tryCompose(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return run(COMPOSE, args, this.within(options));
  }

  async stop(): Promise<void> {
    if (this.daemon.exitCode === null) {
      const ended = new Promise((done) => this.daemon.once('exit', done));
      this.daemon.kill('SIGTERM');
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Variables with which `docker compose` of a shell reaches this engine. */
  commandEnvironment(): Record<string, string> {
    const config = join(this.directory, 'docker-config');
    mkdirSync(config, { recursive: true });
    const extra = { cliPluginsExtraDirs: [dirname(COMPOSE)] };
    writeFileSync(join(config, 'config.json'), JSON.stringify(extra));
    return { DOCKER_HOST: this.host, DOCKER_CONFIG: config };
  }

  private within(options: RunOptions): RunOptions {
    return { ...options, env: { DOCKER_HOST: this.host, DOCKER_BUILDKIT: '1', ...options.env } };
  }
}

/** The packages of a Debian release, separate from those of this machine. @returns options of apt-get */
async function aptOf(release: string): Promise<string[]> {
  const lists = join(CACHE, `apt-${release}`);
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(lists, part), { recursive: true });
  const key = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  writeFileSync(join(lists, 'sources.list'), `deb ${key} ${debianMirror()} ${release} main\n`);
  const options = [
    ...['-qq', '-o', 'APT::Sandbox::User=root', '-o', `Dir::Etc::sourcelist=${join(lists, 'sources.list')}`],
    ...['-o', 'Dir::Etc::sourceparts=-', '-o', `Dir::State::lists=${join(lists, 'lists')}`],
    ...['-o', `Dir::Cache=${join(lists, 'cache')}`],
  ];
  await succeed('apt-get', [...options, 'update']);
  return options;
}

/** The server of Debian's packages that this machine uses itself. @throws if it names none */
export function debianMirror(): string {
  const directory = '/etc/apt/sources.list.d';
  const lists = ['/etc/apt/sources.list', ...readdirSync(directory).map((name) => join(directory, name))];
  const texts = lists.filter((list) => existsSync(list)).map((list) => readFileSync(list, 'utf8'));
  const found = /https?:\/\/\S+\/debian\/?(?=\s)/.exec(`${texts.join('\n')}\n`)?.[0];
  const mirror = process.env.DEBIAN_MIRROR ?? found;
  if (!mirror) throw new Error('Set DEBIAN_MIRROR: the lists of apt name no server of Debian');
  return mirror;
}

async function fetchCompose(): Promise<void> {
  if (existsSync(COMPOSE)) return;
  const directory = join(CACHE, 'tools');
  mkdirSync(directory, { recursive: true });
  const options = await aptOf('sid');
  await succeed('apt-get', [...options, 'download', 'docker-compose'], { cwd: directory });
  await succeed('sh', ['-c', 'dpkg -x docker-compose_*.deb .'], { cwd: directory });
}

/** The directory for a Debian root file system. */
export const rootOf = (release: string): string => join(CACHE, `debian-${release}`);
