import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { actAs, isReadingMethod } from '#platform';
import type { Account } from './account';
import { AuthenticationFailed } from './authentication-failed';
import type { LiveAppPassword, Strength } from '#persistence';
import { accountWithin, assertGranted } from './app-passwords/app-password-rights';
import { routeScopeOf } from './app-passwords/require-scope';
import { RequestAuthenticator, type SignIn } from './sign-in/request-authenticator';
import { BrowserSessions, type BrowserSession } from './sessions/browser-sessions';
import { isRequestToken } from './sessions/session-cookie';

const ACCOUNT = Symbol('account');
const SESSION = Symbol('session of a browser');
const APP_PASSWORD = Symbol('app password');
const STRENGTH = Symbol('strength of the sign-in');
type Authenticated = FastifyRequest & {
  [ACCOUNT]?: Account;
  [SESSION]?: BrowserSession;
  [APP_PASSWORD]?: LiveAppPassword;
  [STRENGTH]?: Strength;
};

/**
 * Admits requests of accounts, and notes the account. A request signs in with a password, or without one with a browser's
 * session. An app password is admitted within its scopes.
 * A request of a session that changes something also needs the token that only our own pages know. Throws AuthenticationFailed.
 */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(
    private readonly authenticator: RequestAuthenticator,
    private readonly sessions: BrowserSessions,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    return this.admit(context, ({ headers }) => headers.requesttoken);
  }

  /** @param tokenIn reads the token of our own pages from a request of a session that changes something */
  admit(context: ExecutionContext, tokenIn: (request: FastifyRequest) => unknown): true | Promise<true> {
    const request = context.switchToHttp().getRequest<Authenticated>();
    const { authorization, cookie } = request.headers;
    if (authorization === undefined && cookie !== undefined)
      return this.admitBrowser(context, request, tokenIn);
    const known = this.authenticator.recognise(authorization, request.ip);
    if (known) return admitClient(context, request, known);
    return this.authenticator
      .authenticate(authorization, request.ip)
      .then((signIn) => admitClient(context, request, signIn));
  }

  private async admitBrowser(
    context: ExecutionContext,
    request: Authenticated,
    tokenIn: (request: FastifyRequest) => unknown,
  ): Promise<true> {
    const found = await this.sessions.find(request.headers.cookie);
    if (!found) throw new AuthenticationFailed('missing');
    const { session, account } = found;
    if (!isReadingMethod(request.method) && !isRequestToken(session.secret, await tokenIn(request)))
      throw new AuthenticationFailed('missing');
    if (session.lacksSecondFactor && routeScopeOf(context) !== 'second-factor')
      throw new AuthenticationFailed('second-factor-needed');
    request[SESSION] = session;
    return admitAccount(request, account, session.strength);
  }
}

/** @throws AuthenticationFailed `not-granted` */
function admitClient(
  context: ExecutionContext,
  request: Authenticated,
  { account, appPassword, strength }: SignIn,
): true {
  if (!appPassword) return admitAccount(request, account, strength);
  assertGranted(routeScopeOf(context), isReadingMethod(request.method), appPassword);
  request[APP_PASSWORD] = appPassword;
  return admitAccount(request, accountWithin(account, appPassword), strength);
}

/** Notes the account that makes a request, and the strength of its sign-in. */
export function admitAccount(request: Authenticated, account: Account, strength: Strength): true {
  request[ACCOUNT] = account;
  request[STRENGTH] = strength;
  actAs({ kind: 'user', uid: account.uid, secondFactor: strength === 'two_factors' });
  return true;
}

/** Account that makes a request; only to be called behind AccountGuard. */
export function identityOf(request: FastifyRequest): Account {
  const account = (request as Authenticated)[ACCOUNT];
  if (!account) throw new Error('identityOf was asked on a route without authentication');
  return account;
}

/** Session of the browser that makes a request; undefined if the request contains credentials itself. */
export function sessionOf(request: FastifyRequest): BrowserSession | undefined {
  return (request as Authenticated)[SESSION];
}

/** App password of a request; undefined if it signed in in another way. */
export function appPasswordOf(request: FastifyRequest): LiveAppPassword | undefined {
  return (request as Authenticated)[APP_PASSWORD];
}

/** Strength of the sign-in behind a request. */
export function strengthOf(request: FastifyRequest): Strength {
  return (request as Authenticated)[STRENGTH] ?? 'one_factor';
}
