import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually, spawnApp, type StartedProcess, type TestDatabase } from '#testing';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient } from '../edge/edge-client';
import type { NetworkEnd } from './network-link';

/** Ports of its programs. Each organisation has a separate network, so no port is taken. */
export interface Ports {
  readonly [app: string]: number;
}

/** The programs that exchange messages. The first port is that for partners, the second one that for clients. */
const MESSAGING: Ports = { 'federation-api': 8080, 'share-api': 8081, 'federation-worker': 8082 };
/** The whole product in one program, with files. */
export const WITH_FILES: Ports = { standalone: 8080 };
const START_LIMIT_MS = 180_000;

/** One organisation in a separate network; its partners reach it only by a link. */
export class DistantOrganisation {
  readonly outbox: FederationOutbox;
  private readonly processes: StartedProcess[] = [];

  private constructor(
    private readonly test: TestDatabase,
    private readonly key: string,
    private readonly end: NetworkEnd,
    private readonly ports: Ports,
    private readonly directory: string,
  ) {
    this.outbox = new FederationOutbox(test.database);
  }

  /** @param prepare creates accounts and files before the processes start */
  static async found(
    end: NetworkEnd,
    prepare: (world: SharingWorld) => Promise<void>,
    ports = MESSAGING,
  ): Promise<DistantOrganisation> {
    const [test, key] = [await createTestDatabase({ poolSize: 2 }), randomBytes(32).toString('hex')];
    const world = await SharingWorld.start({ databaseUrl: test.url, env: { ENCRYPTION_KEY: key } });
    await prepare(world);
    await world.stop();
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-distant-'));
    const organisation = new DistantOrganisation(test, key, end, ports, directory);
    await Promise.all(Object.keys(ports).map((app) => organisation.start(app)));
    return organisation;
  }

  get host(): string {
    return `${this.end.address}:${Object.values(this.ports)[0]}`;
  }

  /** Its address for clients, without the link. */
  get url(): string {
    const ports = Object.values(this.ports);
    return `http://${this.end.gateway}:${ports[1] ?? ports[0]}`;
  }

  get client(): EdgeClient {
    return new EdgeClient({ url: this.url });
  }

  async close(): Promise<void> {
    for (const { child } of this.processes) child.kill('SIGKILL');
    await Promise.all(this.processes.map(({ exit }) => exit));
    await this.test.drop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async start(app: string): Promise<void> {
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

  private environment(app: string): Record<string, string> {
    return {
      FEDERATION_ALLOW_HTTP: 'true',
      FEDERATION_ALLOW_ADDRESSES: '10.231.0.0/16',
      // Postgres listens at a socket in the file system, which all networks share; Postgres also stores the jobs.
      DATABASE_URL: this.test.url,
      DATABASE_POOL: '4',
      ENCRYPTION_KEY: this.key,
      PUBLIC_URL: `http://${this.host}`,
      HOST: '0.0.0.0',
      PORT: String(this.ports[app]),
      DATA_DIR: this.directory,
      FEDERATION_SYNC_WAIT: '0s',
      SHUTDOWN_GRACE: '2s',
      LOG_LEVEL: 'info',
    };
  }
}
