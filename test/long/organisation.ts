import { randomBytes } from 'node:crypto';
import { createTestDatabase, eventually, spawnApp, type StartedProcess, type TestDatabase } from '#testing';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient } from '../edge/edge-client';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { SlowWay } from './slow-way';

/** The programs of one organisation; the way to its federation-api is its address for partners. */
export type Role = 'share-api' | 'federation-api' | 'worker' | 'second worker';

const APPS = {
  'share-api': 'share-api',
  'federation-api': 'federation-api',
  worker: 'federation-worker',
  'second worker': 'federation-worker',
} as const satisfies Record<Role, string>;

const WORKERS: readonly Role[] = ['worker', 'second worker'];
const START_LIMIT_MS = 60_000;

/** Rows that name the holder of a message. */
const IN_HAND = `UPDATE outbox_message SET lease_until = now() - interval '1 second' WHERE state = 'inflight'`;

export interface OrganisationOptions {
  readonly roles: readonly Role[];
  /** If it is missing, the database stores the jobs. */
  readonly redisUrl?: string;
  /** Milliseconds of every transfer between it and its partners, in each direction. */
  readonly wayMs: number;
}

/** One organisation: its database, and each of its programs as a separate process, as in a deployment. */
export class Organisation {
  readonly key = randomBytes(32).toString('hex');
  readonly outbox: FederationOutbox;
  private readonly processes = new Map<Role, StartedProcess>();
  private readonly ports = new Map<Role, string>();

  private constructor(
    readonly test: TestDatabase,
    private readonly way: SlowWay,
    private readonly options: OrganisationOptions,
  ) {
    this.outbox = new FederationOutbox(test.database);
  }

  /** @param prepare creates accounts and files before the processes start */
  static async found(
    options: OrganisationOptions,
    prepare: (world: SharingWorld) => Promise<void>,
  ): Promise<Organisation> {
    const way = await SlowWay.open(options.wayMs);
    const organisation = new Organisation(await createTestDatabase({ poolSize: 2 }), way, options);
    const { key: ENCRYPTION_KEY, test } = organisation;
    const world = await SharingWorld.start({ databaseUrl: test.url, env: { ENCRYPTION_KEY } });
    await prepare(world);
    await world.stop();
    return organisation;
  }

  get host(): string {
    return `127.0.0.1:${this.way.port}`;
  }

  /** Its address for users. */
  get url(): string {
    return `http://127.0.0.1:${this.ports.get('share-api')}`;
  }

  /** Calls its share-api. */
  get client(): EdgeClient {
    return new EdgeClient(this);
  }

  get roles(): readonly Role[] {
    return this.options.roles;
  }

  startAll(): Promise<unknown> {
    return Promise.all(this.roles.map((role) => this.start(role)));
  }

  /** Resolves when it serves, at the same port as before. */
  async start(role: Role): Promise<void> {
    const env = { ...this.environment(), PORT: this.ports.get(role) ?? '0' };
    const started = spawnApp({ app: APPS[role], env });
    this.processes.set(role, started);
    const port = await eventually(
      `the start of ${role}`,
      () => {
        if (started.child.exitCode !== null) throw new Error(`${role} ended:\n${started.output()}`);
        return /"port":(\d+),"msg":"listening"/.exec(started.output())?.[1];
      },
      START_LIMIT_MS,
    );
    this.ports.set(role, port);
    if (role === 'federation-api') this.way.target = Number(port);
  }

  /**
   * Ends it with kill -9. Messages of the last worker have no holder then; normally their leases would end a minute
   * later.
   */
  async kill(...roles: readonly Role[]): Promise<void> {
    await Promise.all(roles.map((role) => this.end(role, 'SIGKILL')));
    if (!WORKERS.some((role) => this.processes.has(role))) await this.outbox.query(IN_HAND);
  }

  async close(): Promise<void> {
    await Promise.all([...this.processes.keys()].map((role) => this.end(role, 'SIGKILL')));
    await this.way.close();
    await this.test.drop();
  }

  private async end(role: Role, signal: NodeJS.Signals): Promise<void> {
    const running = this.processes.get(role);
    running?.child.kill(signal);
    await running?.exit;
    this.processes.delete(role);
  }

  private environment(): Record<string, string> {
    return {
      ...AMONG_FAKES,
      DATABASE_URL: this.test.url,
      DATABASE_POOL: '4',
      ENCRYPTION_KEY: this.key,
      PUBLIC_URL: `http://${this.host}`,
      FEDERATION_SYNC_WAIT: '0s',
      SHUTDOWN_GRACE: '2s',
      LOG_LEVEL: 'info',
      ...(this.options.redisUrl ? { REDIS_URL: this.options.redisUrl } : {}),
    };
  }
}
