import { ExternalIdentityRepository, type Database } from '#persistence';
import type { Config } from '#platform';
import { administrationOn } from '../administration';
import type { SourceAccounts } from '../directories/source-accounts';
import { oidcSource } from './oidc-settings';

/** Maximum of accounts that one run disables; the others wait for the next run. */
const MOST_AT_ONCE = 500;

/**
 * Accounts of people that the issuer has not reported for a long time. Issuers send no message when an account of theirs ends: the
 * only sign is that no more sign-ins and tokens come.
 */
class UnseenAccounts {
  constructor(
    private readonly identities: ExternalIdentityRepository,
    private readonly accounts: SourceAccounts,
    private readonly config: Config,
    private readonly days: number,
  ) {}

  /** Disables them. The next sign-in at the issuer enables the account again. */
  async disable(): Promise<void> {
    const source = oidcSource(this.config);
    const unseen = await this.identities.unseen(source, this.days, MOST_AT_ONCE);
    for (const subject of unseen) await this.accounts.disable(source, subject);
  }
}

/** The same for the worker; undefined if no issuer is configured, or its accounts are never disabled. */
export function unseenAccountsOn(database: Database, config: Config): UnseenAccounts | undefined {
  if (config.OIDC_ISSUER === undefined || config.OIDC_UNSEEN_DAYS === undefined) return undefined;
  const { sourceAccounts } = administrationOn(database, config);
  const identities = new ExternalIdentityRepository(database);
  return new UnseenAccounts(identities, sourceAccounts, config, config.OIDC_UNSEEN_DAYS);
}
