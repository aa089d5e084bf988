import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  EmbeddedDatabaseError,
  exposureOf,
  openEmbeddedDatabase,
  type EmbeddedDatabase,
} from '#embedded-database';
import { eventually } from '#testing';

// Long enough to start processes on a busy machine.
const isRoot = process.getuid?.() === 0;
const QUICK = { fsync: 'off', full_page_writes: 'off' };

async function ask<T>(url: string, query: string): Promise<T | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ answer: T }>(query)).rows[0]?.answer;
  } finally {
    await client.end();
  }
}

const pidOf = (dataDirectory: string): number =>
  Number(readFileSync(join(dataDirectory, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the embedded database', () => {
  let home: string;
  let dataDirectory: string;
  let opened: EmbeddedDatabase[] = [];
  const open = async (
    role: 'gateway' | 'command' = 'gateway',
    where = dataDirectory,
  ): Promise<EmbeddedDatabase> => {
    const database = await openEmbeddedDatabase({ dataDirectory: where, role, settings: QUICK });
    opened.push(database);
    return database;
  };

  beforeAll(() => {
    // Closed to others, as a home directory is: the account of Postgres cannot pass through it.
    home = mkdtempSync(join(tmpdir(), 'drawbridge-home-'));
    chmodSync(home, 0o700);
    dataDirectory = join(home, 'data');
    mkdirSync(dataDirectory, { mode: 0o700 });
  });
  afterEach(async () => {
    await Promise.all(opened.map((database) => database.stop()));
    opened = [];
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  // The first test, because all others use its data.
  it('is made once if two start at the same moment', async () => {
    const both = await Promise.all([open('command'), open('command')]);
    for (const database of both) expect(await ask(database.url, 'SELECT 1 AS answer')).toBe(1);
  });

  it('keeps its data after a stop and leaves no process', async () => {
    const first = await open();
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = pidOf(dataDirectory);
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    const second = await open();
    expect(second.adopted).toBe(false);
    expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(42);
  });

  it('listens on no TCP port, and needs the password', async () => {
    const database = await open();
    expect(await ask(database.url, `SELECT current_setting('listen_addresses') AS answer`)).toBe('');
    const stranger = new URL(database.url);
    stranger.password = 'guessed';
    await expect(ask(stranger.href, 'SELECT 1 AS answer')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(dataDirectory, 'postgres-password')).mode & 0o777).toBe(0o600);
  });

  it('folds letters beyond ASCII and counts statements', async () => {
    const database = await open();
    expect(await ask(database.url, `SELECT lower('ÄÖÜ') AS answer`)).toBe('äöü');
    await ask(database.url, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    expect(await ask(database.url, 'SELECT count(*) > 0 AS answer FROM pg_stat_statements')).toBe(true);
  });

  it('refuses a second gateway in one sentence', async () => {
    await open();
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EmbeddedDatabaseError);
    expect((refusal as Error).message).toBe(
      `${dataDirectory} is in use by process ${process.pid}: stop that gateway, or give this one a DATA_DIR and PORT of its own.`,
    );
  });

  it('serves a command beside the gateway, and still runs after the command', async () => {
    const gateway = await open();
    const command = await open('command');
    expect(command.adopted).toBe(true);
    await command.stop();
    expect(await ask(gateway.url, 'SELECT 1 AS answer')).toBe(1);
  });

  it('is started for a command if no gateway runs, and stopped after it', async () => {
    const command = await open('command');
    expect(command.adopted).toBe(false);
    const pid = pidOf(dataDirectory);
    await command.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('starts after a crash although another program has its process id', async () => {
    writeFileSync(
      join(dataDirectory, 'postgres/postmaster.pid'),
      `${process.pid}\n/proc/self/cwd\n1\n5432\n.\n\n`,
    );
    const database = await open();
    expect(await ask(database.url, 'SELECT 1 AS answer')).toBe(1);
  });

  it('waits after a crash until the earlier server is gone', async () => {
    const { uid, gid } = statSync(join(dataDirectory, 'postgres'));
    // The kernel names a program by its path.
    const programs = mkdtempSync(join(tmpdir(), 'drawbridge-programs-'));
    chmodSync(programs, 0o755);
    symlinkSync('/bin/sleep', join(programs, 'postgres'));
    const earlier = spawn(join(programs, 'postgres'), ['5'], {
      stdio: 'ignore',
      ...(isRoot && { uid, gid }),
    });
    try {
      await once(earlier, 'spawn');
      const pidFile = join(dataDirectory, 'postgres/postmaster.pid');
      writeFileSync(pidFile, `${earlier.pid}\n/proc/self/cwd\n1\n5432\n.\n\n`);
      if (isRoot) chownSync(pidFile, uid, gid);
      const database = await open();
      expect(earlier.exitCode).toBe(0);
      expect(await ask(database.url, 'SELECT 1 AS answer')).toBe(1);
    } finally {
      earlier.kill('SIGKILL');
      rmSync(programs, { recursive: true });
    }
  });

  it('is restarted if it dies while the gateway runs', async () => {
    const database = await open();
    const told: (Error | undefined)[] = [];
    database.onLoss((failure) => told.push(failure));
    process.kill(pidOf(dataDirectory), 'SIGKILL');
    await eventually('the restart', () => told.length > 0);
    expect(told).toEqual([undefined]);
    expect(await ask(database.url, 'SELECT 1 AS answer')).toBe(1);
  });

  (isRoot ? it : it.skip)(
    'runs as a system account of its own for root, also where it was nobody’s',
    async () => {
      const own = Number(execFileSync('id', ['-u', 'drawbridge-db'], { encoding: 'utf8' }));
      const cluster = join(dataDirectory, 'postgres');
      expect(own).not.toBe(65534);
      expect(statSync(cluster).uid).toBe(own);
      execFileSync('chown', ['-R', '65534:65534', cluster]);
      const lines: string[] = [];
      const announce = (line: string): void => void lines.push(line);
      const database = await openEmbeddedDatabase({
        dataDirectory,
        role: 'gateway',
        settings: QUICK,
        announce,
      });
      opened.push(database);
      expect(await ask(database.url, 'SELECT answer FROM kept')).toBe(42);
      for (const path of ['', 'PG_VERSION', 'base', 'postmaster.pid'])
        expect([path, statSync(join(cluster, path)).uid]).toEqual([path, own]);
      expect(statSync(`/proc/${pidOf(dataDirectory)}`).uid).toBe(own);
      expect([lines, exposureOf(dataDirectory)]).toEqual([[], undefined]);
    },
  );

  it('refuses a cluster of another major version', async () => {
    const versionFile = join(dataDirectory, 'postgres/PG_VERSION');
    writeFileSync(versionFile, '16\n');
    await expect(open()).rejects.toThrow(/was made by PostgreSQL 16 and this version brings 18: dump it/);
    writeFileSync(versionFile, '18\n');
  });

  it('works below a path that is too long for a socket', async () => {
    const deep = join(home, 'd'.repeat(60), 'e'.repeat(60));
    mkdirSync(deep, { recursive: true });
    const database = await open('gateway', deep);
    expect(await ask(database.url, 'SELECT 1 AS answer')).toBe(1);
  });
});
