import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountRepository, BlobRepository } from '#persistence';
import { BlobSweep, DiskBlobStore } from '#storage';
import { basicAuth, createTestDatabase, eventually, spawnApp, type StartedProcess } from '#testing';
import { FILES_PASSWORD, FILES_PASSWORD_HASH } from '../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../libs/testing/src/rigs/storage-problems';

const UID = 'sender';
const START_LIMIT_MS = 120_000;
/** The limit for each process, at its peak. */
export const MOST_MEMORY_BYTES = 200 * 1024 * 1024;

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

interface Replica {
  readonly process: StartedProcess;
  readonly port: number;
}

/** Two replicas of the files app on one database and one directory of contents. A killed replica is started again. */
export class KilledReplicas {
  private readonly replicas: Promise<Replica>[] = [];
  private serving = 0;
  private peak = 0;
  kills = 0;

  private constructor(
    private readonly test: TestDatabase,
    private readonly directory: string,
  ) {}

  static async start(): Promise<KilledReplicas> {
    const test = await createTestDatabase({ poolSize: 2 });
    const account = {
      uid: UID,
      displayName: UID,
      email: null,
      groups: [],
      passwordHash: FILES_PASSWORD_HASH,
    };
    await new AccountRepository(test.database).insert(account);
    const stage = new KilledReplicas(test, mkdtempSync(join(tmpdir(), 'drawbridge-killed-')));
    stage.replicas.push(stage.startReplica(), stage.startReplica());
    await Promise.all(stage.replicas);
    return stage;
  }

  readonly authorization = basicAuth(UID, FILES_PASSWORD);
  readonly uid = UID;

  /** Port of the active replica. */
  async port(): Promise<number> {
    return (await this.replicas[this.serving]!).port;
  }

  /** Ports of both replicas. */
  async ports(): Promise<readonly number[]> {
    return (await Promise.all(this.replicas)).map(({ port }) => port);
  }

  /** All problems that `drawbridge files:check` finds. */
  problems(): Promise<readonly unknown[]> {
    return storageProblems({ database: this.test.database, blobDirectory: join(this.directory, 'blobs') });
  }

  /** Kills the active replica and starts it again; the other one is active from now on. */
  async kill(): Promise<void> {
    const killed = this.serving;
    const { process } = await this.replicas[killed]!;
    this.notePeak(process);
    process.child.kill('SIGKILL');
    await process.exit;
    this.kills++;
    this.replicas[killed] = this.startReplica();
    // The next use of the replica reports a failed start.
    this.replicas[killed].catch(() => undefined);
    this.switchOver();
  }

  /** Makes the other replica active. */
  switchOver(): void {
    this.serving = 1 - this.serving;
  }

  /** Highest memory of any process until now, in bytes. */
  async peakMemory(): Promise<number> {
    for (const { process } of await Promise.all(this.replicas)) this.notePeak(process);
    return this.peak;
  }

  /** Rows and contents that no file needs, after a sweep removed the removable ones. */
  async leftovers(): Promise<{ pieces: number; contents: number }> {
    const contents = await this.sweptContents();
    const [found] = await this.test.database.dataSource.query<[{ pieces: number; files: number }]>(
      `SELECT (SELECT count(*) FROM upload_part) AS pieces, (SELECT count(*) FROM node WHERE blob_key IS NOT NULL) AS files`,
    );
    const { pieces, files } = found;
    return { pieces, contents: contents - files };
  }

  /** Number of stored contents after a sweep. */
  async sweptContents(): Promise<number> {
    const blobs = await DiskBlobStore.open(join(this.directory, 'blobs'));
    await new BlobSweep(blobs, new BlobRepository(this.test.database)).run(0);
    let contents = 0;
    for await (const _blob of blobs.list()) contents++;
    return contents;
  }

  async stop(): Promise<void> {
    for (const { process } of await Promise.all(this.replicas)) {
      process.child.kill('SIGTERM');
      await process.exit;
    }
    await this.test.drop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private notePeak({ child }: StartedProcess): void {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
    this.peak = Math.max(this.peak, Number(peak ?? 0) * 1024);
  }

  private async startReplica(): Promise<Replica> {
    const env = {
      ...{ PORT: '0', DATABASE_URL: this.test.url, DATABASE_POOL: '4', LOG_LEVEL: 'info' },
      ...{ DATA_DIR: this.directory, ENCRYPTION_KEY: '0'.repeat(64), NODE_DISABLE_COMPILE_CACHE: '1' },
    };
    const process = spawnApp({ command: ['bin/drawbridge-app', 'files'], env });
    const port = await eventually(
      'the start of a replica',
      () => /"port":(\d+),"msg":"listening"/.exec(process.output())?.[1],
      START_LIMIT_MS,
    );
    return { process, port: Number(port) };
  }
}
