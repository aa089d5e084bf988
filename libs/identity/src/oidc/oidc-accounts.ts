import { Inject, Injectable } from '@nestjs/common';
import type { ExternalIdentity } from '#persistence';
import { CONFIG, type Config } from '#platform';
import { ADMIN_GROUP, type Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { AuthenticationFailed } from '../authentication-failed';
import type { IdentitySource } from '../directories/identity-source';
import { SourceAccounts } from '../directories/source-accounts';
import { SourceGroups } from '../directories/source-groups';
import { ProvisioningFailed } from '../provisioning-failed';
import { oidcSource } from './oidc-settings';
import { isAllowed, readPerson, type ClaimedPerson } from './person-claims';

/** Accounts of people from the issuer: made at the first sign-in if the rules allow it, and kept up to date. */
@Injectable()
export class OidcAccounts {
  constructor(
    private readonly accounts: SourceAccounts,
    private readonly groups: SourceGroups,
    private readonly directory: AccountDirectory,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * The account of the person in these claims, and their id at the issuer.
   * @param issuedAt time of the claims by the issuer's clock, in seconds since 1970
   * @throws AuthenticationFailed `wrong` if they get no account, `disabled` if they may not sign in any more
   */
  async admit(claims: unknown, issuedAt: number): Promise<{ account: Account; subject: string }> {
    const person = readPerson(claims, this.config);
    if (!person) throw new AuthenticationFailed('wrong');
    const source = oidcSource(this.config);
    const known = await this.accounts.find(source, person.subject);
    const toldAt = new Date(Math.min(issuedAt * 1000, Date.now()));
    if (known?.signedOutAt && toldAt <= known.signedOutAt) throw new AuthenticationFailed('wrong');
    const account = await this.follow(source, person, known, toldAt);
    if (!account?.enabled) throw new AuthenticationFailed('disabled');
    return { account, subject: person.subject };
  }

  /** Older claims about a person change nothing: a token from before they left a group does not bring them back. */
  private async follow(
    source: IdentitySource,
    person: ClaimedPerson,
    known: ExternalIdentity | undefined,
    toldAt: Date,
  ): Promise<Account | undefined> {
    if (known?.toldAt && toldAt < known.toldAt) return this.directory.find(known.uid);
    if (!isAllowed(person, this.config.OIDC_ALLOWED_GROUPS)) {
      if (known) await this.accounts.refuse(source, known.uid, toldAt);
      throw new AuthenticationFailed(known ? 'disabled' : 'wrong');
    }
    if (!known && !this.config.OIDC_CREATE_ACCOUNTS) throw new AuthenticationFailed('wrong');
    return this.keep(source, person, toldAt);
  }

  private async keep(source: IdentitySource, person: ClaimedPerson, at: Date): Promise<Account> {
    try {
      await this.accounts.make(source, person);
      const gids = await this.groupsOf(source, person);
      return await this.accounts.keep(source, person, { at, gids });
    } catch (error) {
      // Claims that are invalid for accounts, or a taken name if that is refused.
      throw error instanceof ProvisioningFailed ? new AuthenticationFailed('wrong') : error;
    }
  }

  /** @returns undefined if no rule assigns groups */
  private async groupsOf(
    source: IdentitySource,
    { groups: names, isAdmin }: ClaimedPerson,
  ): Promise<string[] | undefined> {
    if (names === undefined && isAdmin === undefined) return undefined;
    const gids: string[] = [];
    for (const name of names ?? []) {
      const gid = await this.groups.keep(source, { subject: name, name });
      if (gid !== undefined) gids.push(gid);
    }
    return isAdmin ? [...gids, ADMIN_GROUP] : gids;
  }
}
