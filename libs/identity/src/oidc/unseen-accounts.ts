import { ExternalIdentityRepository, type Database } from '#persistence';
import type { Config } from '#platform';
import { administrationOn } from '../administration';
import type { SourceAccounts } from '../directories/source-accounts';
import { oidcSource } from './oidc-settings';

/** So many accounts are disabled at once; the others wait for the next run. */
const MOST_AT_ONCE = 500;

/**
 * Accounts of people of whom the issuer has told nothing for long. Issuers tell nobody that an account of theirs has ended: it is
 * seen by sign-ins and tokens that do not come any more.
 */
class UnseenAccounts {
  constructor(
    private readonly identities: ExternalIdentityRepository,
    private readonly accounts: SourceAccounts,
    private readonly config: Config,
    private readonly days: number,
  ) {}

  /** Disables them; the next sign-in at the issuer enables such an account again. */
  async disable(): Promise<void> {
    const source = oidcSource(this.config);
    const unseen = await this.identities.unseen(source, this.days, MOST_AT_ONCE);
    for (const subject of unseen) await this.accounts.disable(source, subject);
  }
}

/** The same for the worker; undefined where no issuer is configured, or its accounts stay. */
export function unseenAccountsOn(database: Database, config: Config): UnseenAccounts | undefined {
  if (config.OIDC_ISSUER === undefined || config.OIDC_UNSEEN_DAYS === undefined) return undefined;
  const { sourceAccounts } = administrationOn(database, config);
  const identities = new ExternalIdentityRepository(database);
  return new UnseenAccounts(identities, sourceAccounts, config, config.OIDC_UNSEEN_DAYS);
}
