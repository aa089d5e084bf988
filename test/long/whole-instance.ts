import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, eventually, spawnApp, type StartedProcess, type TestDatabase } from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient } from '../edge/edge-client';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { PathProxy } from './path-proxy';

const APPS = ['share-api', 'files', 'federation-api', 'federation-worker'] as const;
/** Machines that run other tests at the same time are slow. */
const START_LIMIT_MS = 180_000;

export type WholeInstanceApp = (typeof APPS)[number];

/** One organisation, each of its programs as a separate process, behind one address. */
export class WholeInstance {
  private readonly running = new Map<string, StartedProcess>();
  private readonly ports = new Map<string, string>();
  private env: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly proxy: PathProxy,
    private readonly directory: string,
    readonly test: TestDatabase,
  ) {}

  /** @param settings values by `app/key`, stored before its programs start */
  static async start(uid: string, settings: Readonly<Record<string, string>> = {}): Promise<WholeInstance> {
    const proxy = await PathProxy.open();
    const test = await createTestDatabase({ poolSize: 2 });
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-large-'));
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const maker = await SharingWorld.start({ databaseUrl: test.url, env: { ENCRYPTION_KEY } });
    await maker.addUser(uid);
    await maker.stop();
    for (const [name, value] of Object.entries(settings)) {
      const [app, key] = name.split('/');
      await test.database.dataSource.query('INSERT INTO setting (app, key, value) VALUES ($1, $2, $3)', [
        app,
        key,
        value,
      ]);
    }
    const instance = new WholeInstance(proxy, directory, test);
    instance.env = {
      ...AMONG_FAKES,
      ...{ DATABASE_URL: test.url, DATABASE_POOL: '4', ENCRYPTION_KEY, DATA_DIR: directory },
      ...{ PUBLIC_URL: proxy.url, FEDERATION_SYNC_WAIT: '10s', PORT: '0', LOG_LEVEL: 'info' },
      // Node.js keeps about 10 MB of its compile cache in memory, which an image does not have.
      NODE_DISABLE_COMPILE_CACHE: '1',
    };
    await Promise.all(APPS.map((app) => instance.startApp(app)));
    return instance;
  }

  get url(): string {
    return this.proxy.url;
  }

  /** Data of a successful OCS call. */
  async call(as: string, method: string, path: string, form?: Record<string, string>): Promise<unknown> {
    const { code, message, data } = await new EdgeClient(this).ocs(method, path, { as, form });
    if (code !== 100) throw new Error(`${method} ${path}: ${code} ${message}`);
    return data;
  }

  /** The peak memory of each program, in bytes. */
  peaks(): Record<string, number> {
    return Object.fromEntries(
      [...this.running].map(([app, { child }]) => {
        const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1];
        return [app, Number(peak) * 1024];
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.running.values()].map(async ({ child, exit }) => {
        child.kill('SIGTERM');
        await exit;
      }),
    );
    await this.proxy.close();
    await this.test.drop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  query<T>(sql: string, ...values: readonly unknown[]): Promise<T[]> {
    return this.test.database.dataSource.query<T[]>(sql, [...values]);
  }

  get blobDirectory(): string {
    return join(this.directory, 'blobs');
  }

  /** Breaks all connections to it, in the middle of their transfers. */
  cut(): void {
    this.proxy.cut();
  }

  /** Stops a program for this time, without ending it: its connections stay open and silent. */
  async freeze(app: WholeInstanceApp, forMs: number): Promise<void> {
    const { child } = this.running.get(app)!;
    child.kill('SIGSTOP');
    await pause(forMs);
    child.kill('SIGCONT');
  }

  /** Ends it with kill -9 and frees its deliveries; normally their leases would end a minute later. */
  async kill(app: WholeInstanceApp): Promise<void> {
    const { child, exit } = this.running.get(app)!;
    child.kill('SIGKILL');
    await exit;
    await this.query('UPDATE stored_write SET held_until = NULL');
  }

  /** Starts it as an image does; a restart uses the same port. */
  async startApp(app: WholeInstanceApp): Promise<void> {
    const env = { ...this.env, PORT: this.ports.get(app) ?? '0' };
    const started = spawnApp({ command: ['bin/drawbridge-app', app], env });
    this.running.set(app, started);
    const port = await eventually(
      `the start of ${app}`,
      () => /"port":(\d+),"msg":"listening"/.exec(started.output())?.[1],
      START_LIMIT_MS,
    );
    if (app !== 'federation-worker' && !this.ports.has(app)) this.proxy.add(app, Number(port));
    this.ports.set(app, port);
  }
}
