import { Injectable } from '@nestjs/common';
import type { LiveAppPassword, Strength } from '#persistence';
import { CachedPolicy } from '#settings';
import type { SharingPolicy } from '#sharing';
import type { Account } from '../account';
import { isLikeAppPassword } from '../app-passwords/app-password-secret';
import { AppPasswordVerifier } from '../app-passwords/app-password-verifier';
import { AuthenticationFailed } from '../authentication-failed';
import { LoginThrottle } from '../login-throttle';
import { demandsSecondFactor } from '../second-factor/demand';
import { MainPasswords } from './main-passwords';
import { BearerTokens } from '../oidc/bearer-tokens';
import { readBearer, readCredentials, type RequestCredentials } from './request-credentials';

/** Subject of wrong app passwords that came without a user id, in the throttle. */
const NO_USER_ID = '';

/** The account that makes a request, and how it signed in. */
export interface SignIn {
  readonly account: Account;
  /** Undefined for the main password and for tokens of the issuer. */
  readonly appPassword?: LiveAppPassword;
  readonly strength: Strength;
}

/** Signs requests of clients in, by main passwords, app passwords and tokens of the issuer. */
@Injectable()
export class RequestAuthenticator {
  constructor(
    private readonly mainPasswords: MainPasswords,
    private readonly appPasswords: AppPasswordVerifier,
    private readonly bearerTokens: BearerTokens,
    private readonly throttle: LoginThrottle,
    private readonly policy: CachedPolicy,
  ) {}

  /** The account behind a header that was verified before; undefined when that takes more than memory. */
  recognise(header: string | undefined, address: string): SignIn | undefined {
    const token = readBearer(header);
    if (token !== undefined) {
      const signIn = this.bearerTokens.recognise(token);
      const policy = this.policy.peek();
      return signIn && policy && isStrongEnough(policy, signIn) ? signIn : undefined;
    }
    const credentials = readCredentials(header);
    if (!credentials) return undefined;
    const { uid, password } = credentials;
    const byAppPassword = isLikeAppPassword(password)
      ? this.appPasswords.recognise(uid, password)
      : undefined;
    if (byAppPassword || uid === undefined) return byAppPassword;
    const policy = this.policy.peek();
    if (!policy || policy.clientsNeedAppPasswords) return undefined;
    const account = this.mainPasswords.recognise({ uid, password }, address);
    return account && !demandsSecondFactor(policy, account) ? { account, strength: 'one_factor' } : undefined;
  }

  /** @throws AuthenticationFailed */
  async authenticate(header: string | undefined, address: string): Promise<SignIn> {
    const token = this.bearerTokens.areTaken ? readBearer(header) : undefined;
    if (token !== undefined) return this.checkToken(token, address);
    const credentials = readCredentials(header);
    if (!credentials) throw new AuthenticationFailed('missing');
    return this.check(credentials, address);
  }

  private async checkToken(token: string, address: string): Promise<SignIn> {
    const signIn = await this.bearerTokens.check(token, address);
    if (!isStrongEnough(await this.policy.current(), signIn)) throw new AuthenticationFailed('wrong');
    return signIn;
  }

  /**
   * The account that has these credentials; wrong ones count as a failed sign-in. A right app password is accepted whatever was
   * tried before, and clears no count: its owner could guess the main password otherwise. @throws AuthenticationFailed
   */
  async check({ uid, password }: RequestCredentials, address: string): Promise<SignIn> {
    const isLike = isLikeAppPassword(password);
    const byAppPassword = isLike ? await this.appPasswords.verify(uid, password) : undefined;
    if (byAppPassword) return byAppPassword;
    const mayBeMain = uid !== undefined && !(await this.policy.current()).clientsNeedAppPasswords;
    if (mayBeMain) {
      const account = await this.mainPasswords.checkAlone({ uid, password }, address);
      return { account, strength: 'one_factor' };
    }
    // Another password was not checked, so nothing can be learnt from it.
    if (isLike) await this.throttle.attempt(uid ?? NO_USER_ID, address);
    throw new AuthenticationFailed('wrong');
  }
}

/** Whether the issuer asked for a second factor where the account needs one. */
const isStrongEnough = (policy: SharingPolicy, { account, strength }: SignIn): boolean =>
  strength === 'two_factors' || !demandsSecondFactor(policy, account);
