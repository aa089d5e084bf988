import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { networkOf } from '#platform';
import type { PolicySource } from '#sharing';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { isPassword } from '../account-rules';
import { AuthenticationFailed } from '../authentication-failed';
import { LdapPasswords } from '../ldap/ldap-passwords';
import { LoginThrottle } from '../login-throttle';
import { PasswordHasher } from '../password-hasher';
import { demandsSecondFactor } from '../second-factor/demand';
import { POLICY } from '../user-accounts';
import { RememberedPasswords } from '../remembered-passwords';
import { LastLogins } from './last-logins';

/** Time after which a right password of the directory is checked there again. */
const ASKED_AGAIN_MS = 10 * 60_000;
/** With a directory, failures are answered after this minimum time, so that the time reveals nothing about the account. */
const FAILED_AFTER_MS = 400;

export interface Credentials {
  readonly uid: string;
  readonly password: string;
}

/** Main passwords of accounts. They are verified once and then recognised; only successes are remembered. */
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
    private readonly ldap: LdapPasswords,
  ) {}

  /** The account of credentials that were verified before; undefined if memory is not enough. */
  recognise({ uid, password }: Credentials, address: string): Account | undefined {
    const account = this.directory.peek(uid);
    if (!account?.enabled) return undefined;
    if (!this.isFresh(account, password) || this.throttle.isFailing(account.uid, address)) return undefined;
    return account;
  }

  /** The account with this user id and password. A wrong password counts as a failed sign-in. @throws AuthenticationFailed */
  async check(credentials: Credentials, address: string): Promise<Account> {
    const key = JSON.stringify([address, credentials.uid, credentials.password]);
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const verification = this.verify(credentials, address).finally(() => this.underWay.delete(key));
    this.underWay.set(key, verification);
    return verification;
  }

  /**
   * The same for requests with a password only. If the account requires a second factor, its right password is answered as a
   * wrong one. @throws AuthenticationFailed
   */
  async checkAlone(credentials: Credentials, address: string): Promise<Account> {
    const account = await this.check(credentials, address);
    if (demandsSecondFactor(await this.policy.current(), account)) throw new AuthenticationFailed('wrong');
    return account;
  }

  private async verify({ uid, password }: Credentials, address: string): Promise<Account> {
    const inMemory = this.directory.peek(uid);
    if (inMemory && (await this.isStillRight(inMemory, password))) return this.again(inMemory, address);
    // Read for each attempt, so that an account in memory takes as long as an unknown name.
    const account = await this.directory.findAnew(uid);
    if (account && !inMemory && (await this.isStillRight(account, password)))
      return this.again(account, address);
    await this.throttle.attempt(uid, address);
    const beganAt = Date.now();
    const isOurs = await this.matches(account, password, address).catch(async (busy: unknown) => {
      await this.throttle.withdraw(uid, address);
      throw busy;
    });
    if (!isOurs) await this.checkElsewhere(account, password, { address, beganAt });
    await this.throttle.succeeded(account!.uid, address, true);
    this.remembered.add(account!.uid, account!.passwordHash, password);
    if (account!.enabled) await this.lastLogins.note(account!);
    return enabled(account!);
  }

  /** The account of credentials that were verified before. They cost neither an attempt nor a hash. */
  private async again(account: Account, address: string): Promise<Account> {
    if (this.throttle.isFailing(account.uid, address))
      await this.throttle.succeeded(account.uid, address, false);
    return enabled(account);
  }

  /**
   * An impossible password costs no hash, with any name: partners send a token and a blank
   * password.
   */
  private async matches(account: Account | undefined, password: string, address: string): Promise<boolean> {
    return (
      isPassword(password) &&
      this.hasher.verify(account?.passwordHash, password, 'signIn', networkOf(address))
    );
  }

  /**
   * Asks the directory about a password that does not match here, for any account, so that each failure has the same steps. It
   * counts even if the directory is away, since the password is known not to match here.
   * @throws AuthenticationFailed
   */
  private async checkElsewhere(
    account: Account | undefined,
    password: string,
    { address, beganAt }: { address: string; beganAt: number },
  ): Promise<void> {
    if (isPassword(password) && (await this.ldap.verify(account, password, networkOf(address)))) return;
    if (this.ldap.isConfigured) await notBefore(beganAt + FAILED_AFTER_MS);
    throw new AuthenticationFailed('wrong');
  }

  private isFresh(account: Account, password: string): boolean {
    const within = this.ldap.keeps(account) ? ASKED_AGAIN_MS : undefined;
    return this.remembered.has(account.uid, account.passwordHash, password, within);
  }

  /** Whether a password is remembered. A password of the directory is checked there again from time to time, while it answers. */
  private async isStillRight(account: Account, password: string): Promise<boolean> {
    const { uid, passwordHash } = account;
    if (this.isFresh(account, password)) return true;
    if (!this.remembered.has(uid, passwordHash, password)) return false;
    const answer = await this.ldap.ask(account, password);
    if (answer === 'right') this.remembered.add(uid, passwordHash, password);
    return answer !== 'wrong';
  }
}

const notBefore = (time: number): Promise<void> => setTimeout(Math.max(0, time - Date.now()));

/** Refuses a disabled account, but only after the right password. */
function enabled(account: Account): Account {
  if (!account.enabled) throw new AuthenticationFailed('disabled');
  return account;
}
