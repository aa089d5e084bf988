import { closeSync, openSync } from 'node:fs';
import { EmbeddedDatabaseError } from './embedded-database-error';
import { CLUSTER_ROLE, type Cluster } from './cluster';

/** Names the socket's file; nothing listens on TCP. */
export const SOCKET_PORT = 5432;
const SOCKET_FILE = `/.s.PGSQL.${SOCKET_PORT}`;
/** The longest path of a Unix socket: 107 bytes on Linux, 103 elsewhere. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;

/** The directory of the cluster's socket, by a name that is short enough to connect to. */
export interface SocketDirectory {
  readonly path: string;
  release(): void;
}

/**
 * Postgres makes its socket by a relative name, of which no length is too long; clients need a path within the limit. A
 * longer one is reached through a descriptor of the directory that this process keeps open.
 *
 * @throws EmbeddedDatabaseError where the system has no such names
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

/** The address of one database of the cluster, as `pg` and TypeORM take it. */
export function databaseUrl(cluster: Cluster, socket: SocketDirectory, database: string): string {
  const parameters = new URLSearchParams({
    host: socket.path,
    port: String(SOCKET_PORT),
    sslmode: 'disable',
  });
  return `postgres://${CLUSTER_ROLE}:${cluster.password}@localhost/${database}?${parameters.toString()}`;
}
