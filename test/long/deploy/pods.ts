import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#testing';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { render, type Objects } from '../../deployment/cluster-objects';
import type { Engine } from './engine';
import { PRODUCT_IMAGE, SERVICES_IMAGE } from './images';
import { isInstalled, run, succeed, type Ended } from './programs';
import { SLOW_MS } from './project';

const PACKAGES = {
  podman: 'podman',
  catatonit: 'catatonit',
  kubectl: 'kubernetes-client',
  ip: 'iproute2',
  nsenter: 'util-linux',
};
/** The default limits of podman are above those of some machines, also for root. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;
const FIRST_PORT = 8080;

export interface PlayedPod {
  readonly port: number;
  readonly pid: number;
}

/**
 * The pods of k8s/base, played by podman in one network namespace beside PostgreSQL and Redis. Podman supports no HTTP
 * probes, no groups of volumes, and no ports in this network: the objects are played without these, and each app gets its
 * own port.
 */
export class Pods {
  private readonly directory = mkdtempSync(join(tmpdir(), 'drawbridge-pods-'));
  private readonly namespace = `drawbridge-${randomBytes(4).toString('hex')}`;
  private readonly password = randomBytes(16).toString('hex');
  private readonly objects: Objects = render('base');
  private played = 0;

  /** Why pods cannot be played here; undefined if they can. */
  static hindrance(): string | undefined {
    const missing = Object.entries(PACKAGES).filter(([program]) => !isInstalled(program));
    return missing.length === 0 ? undefined : `apt-get install ${missing.map(([, name]) => name).join(' ')}`;
  }

  static async start(engine: Engine): Promise<Pods> {
    const pods = new Pods();
    try {
      await pods.prepare(engine);
      return pods;
    } catch (error) {
      await pods.stop();
      throw error;
    }
  }

  private async prepare(engine: Engine): Promise<void> {
    writeFileSync(join(this.directory, 'containers.conf'), SETTINGS);
    await succeed('ip', ['netns', 'add', this.namespace]);
    await succeed('ip', ['-n', this.namespace, 'link', 'set', 'lo', 'up']);
    for (const image of [PRODUCT_IMAGE, SERVICES_IMAGE]) {
      const archive = join(this.directory, 'image.tar');
      await engine.docker(['save', '--output', archive, image]);
      await this.podman('load', '--input', archive);
      rmSync(archive);
    }
    const beside = ['run', '--detach', '--network', 'host'];
    const variables = {
      POSTGRES_USER: 'drawbridge',
      POSTGRES_DB: 'drawbridge',
      POSTGRES_PASSWORD: this.password,
    };
    await this.podman(
      ...[...beside, ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`])],
      ...[SERVICES_IMAGE, 'postgres'],
    );
    await this.podman(
      ...beside,
      SERVICES_IMAGE,
      'sh',
      '-c',
      `exec redis-server --requirepass ${this.password}`,
    );
    const secret = {
      DATABASE_URL: `postgres://drawbridge:${this.password}@127.0.0.1:5432/drawbridge`,
      REDIS_URL: `redis://:${this.password}@127.0.0.1:6379/0`,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      ADMIN_PASSWORD: this.password,
    };
    const encoded = Object.entries(secret).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]);
    // Podman reads the keys of a Secret in this form.
    const file = join(this.directory, 'secret.json');
    writeFileSync(file, JSON.stringify(Object.fromEntries(encoded)), { mode: 0o600 });
    await this.podman('secret', 'create', 'drawbridge', file);
  }

  /** Plays the migration until it succeeds, as a cluster does. */
  async migrate(): Promise<void> {
    const [job] = this.objects.of('Job');
    await eventually(
      'the migration',
      async () => {
        await this.play('migrate', job!.spec!.template.spec!);
        const code = (await this.podman('wait', 'migrate-app')).trim();
        await this.podman('pod', 'rm', '--force', 'migrate');
        return code === '0' || undefined;
      },
      SLOW_MS,
    );
  }

  /** Plays the pod of an app, and waits until it is ready. */
  async startApp(app: string): Promise<PlayedPod> {
    const deployment = this.objects.of('Deployment').find(({ metadata }) => metadata!.name === app)!;
    const port = await this.play(app, deployment.spec!.template.spec!);
    await eventually(
      `${app} to be ready`,
      async () => {
        const { code } = await this.ask(port, '/health/ready');
        return code === 0 || undefined;
      },
      SLOW_MS,
    );
    const pid = Number(await this.podman('inspect', '--format', '{{.State.Pid}}', `${app}-app`));
    return { port, pid };
  }

  /** A request in the namespace. @returns code 0 for an answer below 400, with its body */
  ask(port: number, path: string, ...options: string[]): Promise<Ended> {
    const url = `http://127.0.0.1:${port}${path}`;
    return run('nsenter', [...this.inside, 'curl', '-fsS', '-m', '30', ...options, url]);
  }

  get admin(): string {
    return `admin:${this.password}`;
  }

  logsOf(app: string): Promise<string> {
    return this.podman('logs', `${app}-app`);
  }

  async stop(): Promise<void> {
    if (!existsSync(`/run/netns/${this.namespace}`)) return;
    await this.tryPodman('pod', 'rm', '--all', '--force');
    await this.tryPodman('rm', '--all', '--force', '--time', '5');
    await this.tryPodman('system', 'reset', '--force');
    await succeed('ip', ['netns', 'delete', this.namespace]);
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** @returns the port of the pod */
  private async play(name: string, spec: IPodSpec): Promise<number> {
    const port = FIRST_PORT + 10 * this.played++;
    const [config] = this.objects.of('ConfigMap');
    const data = { ...config!.data, PORT: String(port), METRICS_PORT: String(port + 1) };
    const containers = spec.containers.map(
      ({ ports: _p, livenessProbe: _l, readinessProbe: _r, startupProbe: _s, ...rest }) => ({
        ...rest,
        image: `localhost/${PRODUCT_IMAGE}`,
        imagePullPolicy: 'Never',
      }),
    );
    const claims = this.objects.of('PersistentVolumeClaim').map((claim) => ({
      ...claim,
      metadata: {
        ...claim.metadata,
        // fsGroup gives a volume to the group of the pod, which podman leaves out.
        annotations: { 'volume.podman.io/uid': '1000', 'volume.podman.io/gid': '1000' },
      },
    }));
    const played = [
      { ...config, data },
      ...(this.volumesMade ? [] : claims),
      { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, containers } },
    ];
    this.volumesMade = true;
    const file = join(this.directory, `${name}.yaml`);
    writeFileSync(file, played.map((one) => JSON.stringify(one)).join('\n---\n'));
    await this.podman('play', 'kube', '--network', 'host', file);
    return port;
  }
  private volumesMade = false;

  private async podman(...args: string[]): Promise<string> {
    return succeed('nsenter', [...this.inside, ...this.program, ...args], this.options);
  }

  private tryPodman(...args: string[]): Promise<Ended> {
    return run('nsenter', [...this.inside, ...this.program, ...args], this.options);
  }

  /** Podman runs in the namespace, and uses it as the network of the host. */
  private get inside(): string[] {
    return [`--net=/run/netns/${this.namespace}`];
  }

  private get program(): string[] {
    const [root, state] = ['root', 'run'].map((name) => join(this.directory, name));
    return ['podman', '--root', root!, '--runroot', state!];
  }

  private get options(): { env: Record<string, string> } {
    return { env: { CONTAINERS_CONF: join(this.directory, 'containers.conf') } };
  }
}
