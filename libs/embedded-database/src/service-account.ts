import { existsSync, statSync } from 'node:fs';
import { EmbeddedDatabaseError } from './embedded-database-error';

/** The account that Postgres runs as; undefined where it is the one of this process. */
export type ServiceAccount = { readonly uid: number; readonly gid: number } | undefined;

/** `nobody`: Postgres refuses to run as root. */
const NOBODY = { uid: 65534, gid: 65534 };

/**
 * Which account a cluster runs as. Only root has a choice, and takes the owner of the cluster where there is one,
 * else the owner of the data directory, so that a command run by root leaves nothing behind that the gateway's
 * own account could not use.
 */
export function chooseServiceAccount(dataDirectory: string, clusterDirectory: string): ServiceAccount {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') {
    throw new EmbeddedDatabaseError(
      'The embedded database does not run for root on this system: start as an ordinary user, or set DATABASE_URL.',
    );
  }
  for (const path of [clusterDirectory, dataDirectory]) {
    if (!existsSync(path)) continue;
    const { uid, gid } = statSync(path);
    if (uid !== 0) return { uid, gid };
  }
  return NOBODY;
}
