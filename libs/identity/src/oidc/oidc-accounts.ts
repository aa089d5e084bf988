import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '#platform';
import { ADMIN_GROUP, type Account } from '../account';
import { AuthenticationFailed } from '../authentication-failed';
import type { IdentitySource } from '../directories/identity-source';
import { SourceAccounts } from '../directories/source-accounts';
import { SourceGroups } from '../directories/source-groups';
import { ProvisioningFailed } from '../provisioning-failed';
import { oidcSource } from './oidc-settings';
import { isAllowed, readPerson, type ClaimedPerson } from './person-claims';

/** Accounts of people whom the issuer vouches for: made at the first sign-in by rule, and kept up to date. */
@Injectable()
export class OidcAccounts {
  constructor(
    private readonly accounts: SourceAccounts,
    private readonly groups: SourceGroups,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * The account of the person whom these claims describe.
   * @throws AuthenticationFailed `wrong` where they get none, `disabled` where they may not sign in any more
   */
  async admit(claims: unknown): Promise<Account> {
    const person = readPerson(claims, this.config);
    if (!person) throw new AuthenticationFailed('wrong');
    const source = oidcSource(this.config);
    const known = await this.accounts.find(source, person.subject);
    if (!isAllowed(person, this.config.OIDC_ALLOWED_GROUPS)) {
      if (known) await this.accounts.disable(source, person.subject);
      throw new AuthenticationFailed(known ? 'disabled' : 'wrong');
    }
    if (!known && !this.config.OIDC_CREATE_ACCOUNTS) throw new AuthenticationFailed('wrong');
    const account = await this.keep(source, person);
    if (!account.enabled) throw new AuthenticationFailed('disabled');
    return account;
  }

  private async keep(source: IdentitySource, person: ClaimedPerson): Promise<Account> {
    try {
      await this.accounts.enable(source, person.subject);
      const account = await this.accounts.keep(source, person);
      if (person.groups === undefined) return account;
      await this.groups.setGroupsOf(source, account.uid, await this.groupsOf(source, person.groups));
      return await this.accounts.keep(source, person);
    } catch (error) {
      // Claims that no account can have, or a name that is taken where that is refused.
      throw error instanceof ProvisioningFailed ? new AuthenticationFailed('wrong') : error;
    }
  }

  private async groupsOf(source: IdentitySource, names: readonly string[]): Promise<string[]> {
    const gids: string[] = [];
    for (const name of names) gids.push(await this.groups.keep(source, { subject: name, name }));
    const isAdmin = names.some((name) => this.config.OIDC_ADMIN_GROUPS?.includes(name));
    return isAdmin ? [...gids, ADMIN_GROUP] : gids;
  }
}
