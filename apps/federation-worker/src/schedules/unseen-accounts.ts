import { unseenAccountsOn } from '#identity';
import type { Database } from '#persistence';
import type { Config } from '#platform';
import type { Schedule } from '#queue';

const EVERY_MS = 3_600_000;

/** Disables accounts that the issuer of OpenID Connect has not reported for a long time. */
export function unseenAccounts(database: Database, config: Config): readonly Schedule[] {
  const unseen = unseenAccountsOn(database, config);
  return unseen ? [{ name: 'unseen-accounts', everyMs: EVERY_MS, run: () => unseen.disable() }] : [];
}
