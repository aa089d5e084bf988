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

/** Throttle subject for wrong app passwords without a user id. */
const NO_USER_ID = '';

/** The account of a request, and its way of signing in. */
export interface SignIn {
  readonly account: Account;
  /** undefined for the main password and for tokens of the issuer. */
  readonly appPassword?: LiveAppPassword;
  readonly strength: Strength;
}

/** Signs in requests of clients, with main passwords, app passwords and tokens of the issuer. */
@Injectable()
export class RequestAuthenticator {
  constructor(
    private readonly mainPasswords: MainPasswords,
    private readonly appPasswords: AppPasswordVerifier,
    private readonly bearerTokens: BearerTokens,
    private readonly throttle: LoginThrottle,
    private readonly policy: CachedPolicy,
  ) {}

  /** The account of a header that was verified before; undefined if memory is not enough. */
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
   * The account with these credentials. Wrong ones count as a failed sign-in. A right app password is accepted after any
   * number of failures, and resets no count: otherwise its owner could guess the main password. @throws AuthenticationFailed
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
    // For another password nothing was checked, so the attempt reveals nothing.
    if (isLike) await this.throttle.attempt(uid ?? NO_USER_ID, address);
    throw new AuthenticationFailed('wrong');
  }
}

/** Whether the issuer asked for a second factor, if the account requires one. */
const isStrongEnough = (policy: SharingPolicy, { account, strength }: SignIn): boolean =>
  strength === 'two_factors' || !demandsSecondFactor(policy, account);
