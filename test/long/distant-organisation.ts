import { randomBytes } from 'node:crypto';
import { createTestDatabase, eventually, spawnApp, type StartedProcess, type TestDatabase } from '#testing';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient } from '../edge/edge-client';
import type { NetworkEnd } from './network-link';

/** Each organisation has a separate network, so no port is taken. */
const PORTS = { 'federation-api': 8080, 'share-api': 8081, 'federation-worker': 8082 } as const;
const START_LIMIT_MS = 60_000;

/** One organisation in a separate network; its partners reach it only by a link. */
export class DistantOrganisation {
  readonly outbox: FederationOutbox;
  private readonly processes: StartedProcess[] = [];

  private constructor(
    private readonly test: TestDatabase,
    private readonly key: string,
    private readonly end: NetworkEnd,
  ) {
    this.outbox = new FederationOutbox(test.database);
  }

  /** @param prepare creates accounts and files before the processes start */
  static async found(
    end: NetworkEnd,
    prepare: (world: SharingWorld) => Promise<void>,
  ): Promise<DistantOrganisation> {
    const [test, key] = [await createTestDatabase({ poolSize: 2 }), randomBytes(32).toString('hex')];
    const world = await SharingWorld.start({ databaseUrl: test.url, env: { ENCRYPTION_KEY: key } });
    await prepare(world);
    await world.stop();
    const organisation = new DistantOrganisation(test, key, end);
    await Promise.all(Object.keys(PORTS).map((app) => organisation.start(app as keyof typeof PORTS)));
    return organisation;
  }

  get host(): string {
    return `${this.end.address}:${PORTS['federation-api']}`;
  }

  /** Calls its share-api, without the link. */
  get client(): EdgeClient {
    return new EdgeClient({ url: `http://${this.end.gateway}:${PORTS['share-api']}` });
  }

  async close(): Promise<void> {
    for (const { child } of this.processes) child.kill('SIGKILL');
    await Promise.all(this.processes.map(({ exit }) => exit));
    await this.test.drop();
  }

  private async start(app: keyof typeof PORTS): Promise<void> {
    const command = ['ip', 'netns', 'exec', this.end.namespace, 'bin/drawbridge-app', app];
    const started = spawnApp({ command, env: this.environment(app) });
    this.processes.push(started);
    await eventually(
      `the start of ${app}`,
      () => {
        if (started.child.exitCode !== null) throw new Error(`${app} ended:\n${started.output()}`);
        return started.output().includes('"msg":"listening"');
      },
      START_LIMIT_MS,
    );
  }

  private environment(app: keyof typeof PORTS): Record<string, string> {
    return {
      FEDERATION_ALLOW_HTTP: 'true',
      FEDERATION_ALLOW_ADDRESSES: '10.231.0.0/16',
      // Postgres listens at a socket in the file system, which all networks share; Postgres also stores the jobs.
      DATABASE_URL: this.test.url,
      DATABASE_POOL: '4',
      ENCRYPTION_KEY: this.key,
      PUBLIC_URL: `http://${this.host}`,
      HOST: '0.0.0.0',
      PORT: String(PORTS[app]),
      FEDERATION_SYNC_WAIT: '0s',
      SHUTDOWN_GRACE: '2s',
      LOG_LEVEL: 'info',
    };
  }
}
