import { ldapSyncOn } from '#identity';
import type { Database } from '#persistence';
import type { Config } from '#platform';
import type { Schedule } from '#queue';

/** Reads the directory of people and groups; undefined if none is configured. */
export function directorySync(database: Database, config: Config): readonly Schedule[] {
  const sync = ldapSyncOn(database, config);
  return sync ? [{ name: 'directory-sync', everyMs: config.LDAP_SYNC_EVERY, run: () => sync.runDue() }] : [];
}
