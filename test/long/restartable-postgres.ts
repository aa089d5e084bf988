import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedDatabase, type EmbeddedDatabase } from '#embedded-database';
import { Database, migrate } from '#persistence';
import { eventually } from '#testing';

/** The signal for a stop: `fast` ends every session in order, `immediate` is a crash. */
export type PostgresStop = 'fast' | 'immediate';

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const satisfies Record<
  PostgresStop,
  NodeJS.Signals
>;

/** A separate Postgres for one spec, as durable as a deployed one, which can be stopped while programs use it. */
export class RestartablePostgres {
  private constructor(
    private readonly server: EmbeddedDatabase,
    private readonly directory: string,
    /** The spec's own connection. */
    readonly database: Database,
  ) {}

  static async start(): Promise<RestartablePostgres> {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-restartable-'));
    const server = await openEmbeddedDatabase({ dataDirectory: directory, role: 'gateway' });
    const database = await Database.connect({ url: server.url, poolSize: 2, applicationName: 'the spec' });
    await migrate(database);
    return new RestartablePostgres(server, directory, database);
  }

  get url(): string {
    return this.server.url;
  }

  /** Stops it; the owner of the cluster starts it again by itself. Resolves when it answers. */
  async restart(how: PostgresStop): Promise<void> {
    const pid = this.pid();
    process.kill(pid!, SIGNALS[how]);
    await eventually('the start of Postgres', () => {
      const now = this.pid();
      if (now === undefined || now === pid) return false;
      return this.database.dataSource.query('SELECT 1').then(
        () => true,
        () => false,
      );
    });
  }

  async stop(): Promise<void> {
    await this.database.close();
    await this.server.stop({ hurry: true });
    rmSync(this.directory, { recursive: true, force: true });
  }

  private pid(): number | undefined {
    try {
      return Number(readFileSync(join(this.directory, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }
}
