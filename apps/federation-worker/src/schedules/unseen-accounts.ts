import { unseenAccountsOn } from '#identity';
import type { Database } from '#persistence';
import type { Config } from '#platform';
import type { Schedule } from '#queue';

const EVERY_MS = 3_600_000;

/** Disables accounts of which the issuer of OpenID Connect has told nothing for long. */
export function unseenAccounts(database: Database, config: Config): readonly Schedule[] {
  const unseen = unseenAccountsOn(database, config);
  return unseen ? [{ name: 'unseen-accounts', everyMs: EVERY_MS, run: () => unseen.disable() }] : [];
}
