import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Database } from '#persistence';
import { ADMIN, basicAuth, createEmptyDatabase, eventually, REPOSITORY, spawnApp } from '#testing';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { startTestRedis, type TestRedis } from '../../libs/testing/src/rigs/redis-server';
import { EdgeClient, PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { HERE } from './mixed-load';
import { PathProxy } from './path-proxy';
import { Replica } from './replicas';

const ORDER: readonly (readonly Replica['app'][])[] = [
  ['federation-api'],
  ['federation-worker'],
  ['share-api', 'capabilities', 'files'],
];
const APPS = ORDER.flat();
const PROBE_EVERY_MS = 200;
const START_LIMIT_MS = 90_000;

/** Two processes of each app behind a proxy, on a database with a kept schema. */
export class UpgradeStage {
  readonly outbox: FederationOutbox;
  /** One process of each app, and then the second ones. */
  readonly rounds: readonly (readonly Replica[])[];

  private constructor(
    readonly proxy: PathProxy,
    private readonly database: Database,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly putAway: () => Promise<void>,
  ) {
    this.outbox = new FederationOutbox(database);
    this.rounds = [1, 2].map(() => APPS.map((app) => new Replica(app, proxy, environment)));
  }

  /** @param schema file name of a kept schema, without its ending */
  static async open(schema: string): Promise<UpgradeStage> {
    const [{ url, drop }, redis] = await Promise.all([createEmptyDatabase(), startTestRedis()]);
    const database = await Database.connect({ url, poolSize: 2, applicationName: 'the spec' });
    const file = join(REPOSITORY, 'test/fixtures/schema', `${schema}.sql`);
    await database.dataSource.query(readFileSync(file, 'utf8'));
    const proxy = await PathProxy.open({ probeEveryMs: PROBE_EVERY_MS });
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-upgrade-'));
    const putAway = async (): Promise<void> => {
      await Promise.all([proxy.close(), database.close()]);
      await Promise.all([drop(), redis.stop()]);
      rmSync(directory, { recursive: true, force: true });
    };
    return new UpgradeStage(proxy, database, environmentOf(proxy, url, redis, directory), putAway);
  }

  get host(): string {
    return new URL(this.proxy.url).host;
  }

  /** Runs `drawbridge migrate` as its job does. @returns its output */
  async migrate(program = REPOSITORY): Promise<string> {
    const env = { PATH: process.env.PATH, ...this.environment };
    const ran = await promisify(execFile)('bin/drawbridge-app', ['drawbridge', 'migrate'], {
      cwd: program,
      env,
    });
    return ran.stdout;
  }

  /** The end of a present program that is started before the schema exists. */
  async tryToday(app: string): Promise<{ code: number | null; output: string }> {
    const started = spawnApp({ command: ['bin/drawbridge-app', app], env: this.environment });
    const isDecided = (): boolean =>
      started.child.exitCode !== null || started.output().includes('"msg":"listening"');
    await eventually(`the end of ${app}`, isDecided, START_LIMIT_MS).finally(() =>
      started.child.kill('SIGKILL'),
    );
    const { code } = await started.exit;
    return { code, output: started.output() };
  }

  async start(program: string): Promise<void> {
    for (const round of this.rounds) await Promise.all(round.map((replica) => replica.start(program)));
    await this.untilReady();
  }

  /**
   * Replaces all processes by present ones in the order of the operators' manual: first the app that publishes keys,
   * then the app that signs and checks signatures, and then the other apps, one process of each at a time.
   * @param leaving whether the proxy knows of a stop before the process
   * @returns exit codes other than 0
   */
  async roll({ leaving = false } = {}): Promise<(number | null)[]> {
    const codes: (number | null)[] = [];
    const replace = async (replica: Replica): Promise<void> => {
      if (leaving) replica.leave();
      codes.push((await replica.end('SIGTERM')).code);
      await replica.start();
    };
    for (const apps of ORDER)
      for (const round of this.rounds) {
        await Promise.all(round.filter(({ app }) => apps.includes(app)).map(replace));
        await this.untilReady();
      }
    return codes.filter((code) => code !== 0);
  }

  /** A partner without a limit that is reached, stored by a statement that old and new schemas understand. */
  async addPeer(hostKey: string): Promise<void> {
    const sql =
      'INSERT INTO peer (host_key, concurrency, rate_per_second, rate_burst) VALUES ($1, 8, 1e6, 1e6)';
    await this.outbox.query(sql, [hostKey]);
  }

  /** Creates the users and files of the load. */
  async people(): Promise<void> {
    const client = new EdgeClient(this.proxy);
    await client.makeUsers('alice', 'fred', 'dan', ...HERE.users);
    await client.ocs('POST', '/cloud/groups', { form: { groupid: HERE.group } });
    for (const uid of HERE.users.slice(0, 2))
      await client.ocs('POST', `/cloud/users/${uid}/groups`, { form: { groupid: HERE.group } });
    for (const uid of ['alice', 'fred'])
      for (const path of HERE.files) {
        const headers = { authorization: basicAuth(uid, PASSWORD) };
        const target = `/remote.php/webdav${path}`;
        const { status } = await client.send({ method: 'PUT', target, headers, body: 'content' });
        if (status !== 201) throw new Error(`PUT ${path}: HTTP ${status}`);
      }
  }

  async close(): Promise<void> {
    await Promise.all(this.rounds.flat().map((replica) => replica.end('SIGTERM')));
    await this.putAway();
  }

  private untilReady(): Promise<boolean> {
    return eventually('all processes to be ready', () => this.proxy.areAllReady, START_LIMIT_MS);
  }
}

function environmentOf(
  proxy: PathProxy,
  databaseUrl: string,
  redis: TestRedis,
  directory: string,
): Record<string, string> {
  return {
    ...AMONG_FAKES,
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    BLOB_STORE: `file:${join(directory, 'blobs')}`,
    PUBLIC_URL: proxy.url,
    PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '4',
    REDIS_URL: redis.url,
    ADMIN_USER: ADMIN.uid,
    ADMIN_PASSWORD: ADMIN.password,
    FEDERATION_SYNC_WAIT: '2s',
    SHUTDOWN_DELAY: '1s',
    SHUTDOWN_GRACE: '10s',
  };
}
