import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, spawnApp, type Exit, type StartedProcess, type TestDatabase } from '#testing';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import type { TestRedis } from '../../libs/testing/src/rigs/redis-server';
import { SharingWorld } from '../api/sharing-world';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { PathProxy } from './path-proxy';
import { isFullForm } from '../../libs/testing/src/full-form';

/** Number of processes of each app. */
const REPLICAS = {
  'share-api': 2,
  capabilities: 2,
  'federation-api': 2,
  files: 2,
  'federation-worker': isFullForm ? 3 : 2,
} as const;
type ReplicatedApp = keyof typeof REPLICAS;

/** Smaller in the short run, because other specs use its Postgres too. */
const POOL = isFullForm ? '6' : '4';
const START_LIMIT_MS = 60_000;
const PROBE_EVERY_MS = 200;
/** Proxies notice a stop within this time. */
const SHUTDOWN_DELAY = '1s';
const SHUTDOWN_GRACE = '10s';

/** A place for one process: when it ends, another one is started there. */
export class Replica {
  private running: StartedProcess | undefined;
  private port = 0;

  constructor(
    readonly app: ReplicatedApp,
    private readonly proxy: PathProxy,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * Resolves when it listens.
   * @param program the clone of the program, by default this one
   */
  async start(program?: string): Promise<void> {
    // Starts it as an image does.
    const started = spawnApp({
      command: ['bin/drawbridge-app', this.app],
      env: this.environment,
      cwd: program,
    });
    this.running = started;
    const port = await eventually(
      `the start of ${this.app}`,
      () => {
        if (started.child.exitCode !== null) throw new Error(`${this.app} ended:\n${started.output()}`);
        return /"port":(\d+),"msg":"listening"/.exec(started.output())?.[1];
      },
      START_LIMIT_MS,
    );
    this.port = Number(port);
    if (this.app !== 'federation-worker') this.proxy.add(this.app, this.port);
  }

  /** Stops new requests from now on, for programs that do not wait themselves until proxies have noticed. */
  leave(): void {
    if (this.app !== 'federation-worker') this.proxy.remove(this.app, this.port);
  }

  async end(signal: NodeJS.Signals): Promise<Exit> {
    const running = this.running;
    this.running = undefined;
    running?.child.kill(signal);
    const exit = (await running?.exit) ?? { code: null, signal: null };
    this.leave();
    return exit;
  }
}

/** The database of an organisation, and the spec's own connection to it. */
type HeldDatabase = Pick<TestDatabase, 'url' | 'database'>;

/** One organisation with several processes of each app, on one Postgres and one Redis, behind one proxy. */
export class ReplicatedOrganisation {
  readonly outbox: FederationOutbox;
  readonly replicas: readonly Replica[];

  private constructor(
    readonly proxy: PathProxy,
    postgres: HeldDatabase,
    environment: Readonly<Record<string, string>>,
    private readonly directory: string,
  ) {
    this.outbox = new FederationOutbox(postgres.database);
    this.replicas = Object.entries(REPLICAS).flatMap(([app, count]) =>
      Array.from({ length: count }, () => new Replica(app as ReplicatedApp, proxy, environment)),
    );
  }

  /** @param prepare creates accounts and files before the processes start */
  static async found(
    postgres: HeldDatabase,
    redis: TestRedis,
    prepare: (world: SharingWorld) => Promise<void>,
  ): Promise<ReplicatedOrganisation> {
    const proxy = await PathProxy.open({ probeEveryMs: PROBE_EVERY_MS });
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-replicas-'));
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const BLOB_STORE = `file:${join(directory, 'blobs')}`;
    const world = await SharingWorld.start({
      databaseUrl: postgres.url,
      env: { ENCRYPTION_KEY, BLOB_STORE },
    });
    await prepare(world);
    await world.stop();
    const environment = {
      ...AMONG_FAKES,
      ...{ ENCRYPTION_KEY, BLOB_STORE, PUBLIC_URL: proxy.url, PORT: '0', LOG_LEVEL: 'info' },
      ...{ DATABASE_URL: postgres.url, DATABASE_POOL: POOL, REDIS_URL: redis.url },
      // Few at once, so that jobs wait.
      ...{ DELIVERY_CONCURRENCY: '2', FEDERATION_SYNC_WAIT: '2s', SHUTDOWN_DELAY, SHUTDOWN_GRACE },
    };
    return new ReplicatedOrganisation(proxy, postgres, environment, directory);
  }

  get host(): string {
    return new URL(this.proxy.url).host;
  }

  /** Resolves when all of them are ready for the proxy. */
  async startAll(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.start()));
    await this.untilReady();
  }

  untilReady(): Promise<boolean> {
    return eventually('all processes to be ready', () => this.proxy.areAllReady, START_LIMIT_MS);
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.end('SIGKILL')));
    await this.proxy.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
