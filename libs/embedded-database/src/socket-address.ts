import { closeSync, openSync } from 'node:fs';
import { EmbeddedDatabaseError } from './embedded-database-error';
import { CLUSTER_ROLE, type Cluster } from './cluster';

/** Part of the socket's file name; nothing listens on TCP. */
export const SOCKET_PORT = 5432;
const SOCKET_FILE = `/.s.PGSQL.${SOCKET_PORT}`;
/** Maximum length of a Unix socket's path: 107 bytes on Linux, 103 elsewhere. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;

/** The directory of the cluster's socket, under a name that is short enough for connections. */
export interface SocketDirectory {
  readonly path: string;
  release(): void;
}

/**
 * Postgres makes its socket under a relative name of any length, but clients need a path within the limit. A
 * longer path is reached through a descriptor of the directory that this process keeps open.
 *
 * @throws EmbeddedDatabaseError if the system has no such descriptors
 */
export function openSocketDirectory(directory: string): SocketDirectory {
  if (Buffer.byteLength(directory + SOCKET_FILE) <= LONGEST_PATH) {
    return { path: directory, release: () => undefined };
  }
  if (process.platform !== 'linux') {
    throw new EmbeddedDatabaseError(
      `The path ${directory} is too long for the database's socket: choose a DATA_DIR with a shorter path.`,
    );
  }
  const descriptor = openSync(directory, 'r');
  return { path: `/proc/self/fd/${descriptor}`, release: () => closeSync(descriptor) };
}

/** The address of one database of the cluster, for `pg` and TypeORM. */
export function databaseUrl(cluster: Cluster, socket: SocketDirectory, database: string): string {
  const parameters = new URLSearchParams({
    host: socket.path,
    port: String(SOCKET_PORT),
    sslmode: 'disable',
  });
  return `postgres://${CLUSTER_ROLE}:${cluster.password}@localhost/${database}?${parameters.toString()}`;
}
