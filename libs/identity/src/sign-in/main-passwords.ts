import { Inject, Injectable } from '@nestjs/common';
import { networkOf } from '#platform';
import type { PolicySource } from '#sharing';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { isPassword } from '../account-rules';
import { AuthenticationFailed } from '../authentication-failed';
import { LoginThrottle } from '../login-throttle';
import { PasswordHasher } from '../password-hasher';
import { demandsSecondFactor } from '../second-factor/demand';
import { POLICY } from '../user-accounts';
import { RememberedPasswords } from '../remembered-passwords';
import { LastLogins } from './last-logins';

export interface Credentials {
  readonly uid: string;
  readonly password: string;
}

/** Main passwords of accounts. They are verified once and recognised afterwards; only successes are remembered. */
@Injectable()
export class MainPasswords {
  private readonly remembered = new RememberedPasswords();
  private readonly underWay = new Map<string, Promise<Account>>();

  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastLogins: LastLogins,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    @Inject(POLICY) private readonly policy: PolicySource,
  ) {}

  /** The account behind credentials that were verified before; undefined when that takes more than memory. */
  recognise({ uid, password }: Credentials, address: string): Account | undefined {
    const account = this.directory.peek(uid);
    if (!account?.enabled) return undefined;
    if (!this.isRemembered(account, password) || this.throttle.isFailing(account.uid, address))
      return undefined;
    return account;
  }

  /** The account that has this user id and password; a wrong one counts as a failed sign-in. @throws AuthenticationFailed */
  async check(credentials: Credentials, address: string): Promise<Account> {
    const key = JSON.stringify([address, credentials.uid, credentials.password]);
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const verification = this.verify(credentials, address).finally(() => this.underWay.delete(key));
    this.underWay.set(key, verification);
    return verification;
  }

  /**
   * The same where nothing else is asked for. The right password of an account that needs a second factor is answered as a
   * wrong one. @throws AuthenticationFailed
   */
  async checkAlone(credentials: Credentials, address: string): Promise<Account> {
    const account = await this.check(credentials, address);
    if (demandsSecondFactor(await this.policy.current(), account)) throw new AuthenticationFailed('wrong');
    return account;
  }

  /** Credentials that were verified before cost neither an attempt nor a hash, wherever the account has to be read from. */
  private async verify({ uid, password }: Credentials, address: string): Promise<Account> {
    const account = await this.directory.find(uid);
    if (account && this.isRemembered(account, password)) {
      if (this.throttle.isFailing(account.uid, address))
        await this.throttle.succeeded(account.uid, address, false);
      return enabled(account);
    }
    await this.throttle.attempt(uid, address);
    const matches = await this.matches(account, password, address).catch(async (busy: unknown) => {
      await this.throttle.withdraw(uid, address);
      throw busy;
    });
    if (!matches) throw new AuthenticationFailed('wrong');
    await this.throttle.succeeded(account!.uid, address, true);
    this.remembered.add(account!.uid, account!.passwordHash, password);
    if (account!.enabled) await this.lastLogins.note(account!);
    return enabled(account!);
  }

  /**
   * A password that no account can have costs no hash, whatever the name: partners come with a token and a blank
   * password.
   */
  private async matches(account: Account | undefined, password: string, address: string): Promise<boolean> {
    return (
      isPassword(password) &&
      this.hasher.verify(account?.passwordHash, password, 'signIn', networkOf(address))
    );
  }

  private isRemembered(account: Account, password: string): boolean {
    return this.remembered.has(account.uid, account.passwordHash, password);
  }
}

/** Said only to who has the right password. */
function enabled(account: Account): Account {
  if (!account.enabled) throw new AuthenticationFailed('disabled');
  return account;
}
