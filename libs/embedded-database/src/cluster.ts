import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries';
import { EmbeddedDatabaseError, failureIn } from './embedded-database-error';
import type { ServiceAccount } from './service-account';

/** The major version whose files the packaged programs can read. */
const MAJOR_VERSION = '18';
/** The one role of the cluster; it owns everything. */
export const CLUSTER_ROLE = 'drawbridge';

/** Paths of one embedded database, all of them in the data directory. */
export interface Cluster {
  readonly dataDirectory: string;
  readonly directory: string;
  readonly logFile: string;
  readonly password: string;
  readonly account: ServiceAccount;
}

export const clusterDirectoryOf = (dataDirectory: string): string => join(dataDirectory, 'postgres');

/**
 * The name of Postgres's own directory. Postgres is started inside of it, so an account that may not enter the
 * directories above (a data directory of mode 0700, one below /root) can still use this name.
 */
export function ownDirectoryArgument(cluster: Pick<Cluster, 'directory' | 'account'>): string {
  return cluster.account === undefined ? cluster.directory : '/proc/self/cwd';
}

/**
 * The cluster in `dataDirectory`, made if there is none yet.
 * If several processes make one at the same time, one wins and the others use its cluster.
 *
 * @throws EmbeddedDatabaseError if another major version made it, or it cannot be made
 */
export function prepareCluster(
  dataDirectory: string,
  account: ServiceAccount,
  binaries: Binaries,
  announce: (line: string) => void,
): Cluster {
  const directory = clusterDirectoryOf(dataDirectory);
  const cluster = {
    dataDirectory,
    directory,
    logFile: join(dataDirectory, 'postgres.log'),
    password: readOrMakePassword(join(dataDirectory, 'postgres-password'), directory),
    account,
  };
  if (!existsSync(directory)) {
    announce('Creating the embedded database (once)');
    createCluster(cluster, binaries);
  }
  const version = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
  if (version !== MAJOR_VERSION) {
    throw new EmbeddedDatabaseError(
      `${directory} was made by PostgreSQL ${version} and this version brings ${MAJOR_VERSION}: dump it with the old version and restore it into a new DATA_DIR.`,
    );
  }
  return cluster;
}

function readOrMakePassword(file: string, clusterDirectory: string): string {
  if (!existsSync(file)) {
    if (existsSync(clusterDirectory)) {
      throw new EmbeddedDatabaseError(
        `${file} is missing, without which the database in ${clusterDirectory} cannot be opened: restore it from a backup.`,
      );
    }
    // The file appears complete or not at all, even if others are starting at the same time.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    giveToOwnerOf(clusterDirectory, draft);
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  return readFileSync(file, 'utf8').trim();
}

/** Gives files that root makes in a user's data directory to that user. */
function giveToOwnerOf(clusterDirectory: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(join(clusterDirectory, '..'));
  chownSync(file, uid, gid);
}

function createCluster(cluster: Cluster, binaries: Binaries): void {
  const half = mkdtempSync(`${cluster.directory}.new-`);
  try {
    chmodSync(half, 0o700);
    if (cluster.account) chownSync(half, cluster.account.uid, cluster.account.gid);
    runInitdb({ ...cluster, directory: half }, binaries);
    renameSync(half, cluster.directory);
  } catch (error) {
    // Another process started at the same moment and won: its cluster is used.
    if (!existsSync(join(cluster.directory, 'PG_VERSION'))) throw error;
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

function runInitdb(cluster: Cluster, binaries: Binaries): void {
  const options = ['-D', ownDirectoryArgument(cluster), '-U', CLUSTER_ROLE, '--auth=scram-sha-256'];
  const unicode = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // Only a real pipe can be opened as /dev/stdin, but Node passes a socket.
  const script = 'printf "%s\\n" "$CLUSTER_PASSWORD" | "$0" "$@" --pwfile=/dev/stdin --no-instructions';
  const run = spawnSync('/bin/sh', ['-c', script, binaries.initdb, ...options, ...unicode], {
    ...cluster.account,
    cwd: cluster.directory,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', CLUSTER_PASSWORD: cluster.password },
    encoding: 'utf8',
  });
  if (run.status === 0) return;
  const reason = run.error?.message ?? run.stderr.trim().split('\n')[0] ?? 'no reason given';
  throw failureIn(
    cluster.directory,
    run.stderr ?? '',
    `The embedded database could not be created (${reason}).`,
  );
}
