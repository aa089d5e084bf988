import { Injectable } from '@nestjs/common';
import { AppPasswordRepository, BrowserSessionRepository, type LiveAppPassword } from '#persistence';
import { CachedPolicy } from '#settings';
import type { SharingPolicy } from '#sharing';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import { assertGranted } from '../app-passwords/app-password-rights';
import { LdapPasswords } from '../ldap/ldap-passwords';
import { demandsSecondFactor, hasToHaveSecondFactor } from '../second-factor/demand';
import type { BrowserSession } from '../sessions/browser-sessions';
import { RequestAuthenticator } from './request-authenticator';
import type { Credentials } from './main-passwords';

/** Time after which another server is asked again about a sign-in that it verifies. */
const KEPT_ELSEWHERE_MS = 10 * 60_000;

/** Evidence for the sign-in of an open connection. */
type Evidence =
  | { readonly kind: 'session'; readonly id: number; readonly strength: BrowserSession['strength'] }
  | { readonly kind: 'app-password'; readonly id: number }
  | { readonly kind: 'password'; readonly passwordHash: string }
  | { readonly kind: 'token' };

/** An account that signed in on a connection that stays open. */
export interface StandingSignIn {
  readonly uid: string;
  readonly evidence: Evidence;
  /** Time at which it ends in any case, in milliseconds since 1970; undefined for none. */
  readonly endsAt?: number;
}

/** Sign-ins of connections that stay open. Each is valid as long as the same credentials would be accepted. */
@Injectable()
export class StandingSignIns {
  constructor(
    private readonly authenticator: RequestAuthenticator,
    private readonly directory: AccountDirectory,
    private readonly sessions: BrowserSessionRepository,
    private readonly appPasswords: AppPasswordRepository,
    private readonly policy: CachedPolicy,
    private readonly ldap: LdapPasswords,
  ) {}

  /** Signs in a client that reads files. @throws AuthenticationFailed */
  async open(credentials: Credentials, address: string): Promise<StandingSignIn> {
    const { account, appPassword } = await this.authenticator.check(credentials, address);
    if (appPassword) assertGranted('files', true, appPassword);
    return this.of(account, { appPassword, isByPassword: true });
  }

  /** The sign-in of an admitted request. */
  of(
    { uid, passwordHash, sources }: Account,
    by: { session?: BrowserSession; appPassword?: LiveAppPassword; isByPassword: boolean },
  ): StandingSignIn {
    const { session, appPassword, isByPassword } = by;
    if (session) return { uid, evidence: { kind: 'session', id: session.id, strength: session.strength } };
    if (appPassword) return { uid, evidence: { kind: 'app-password', id: appPassword.id } };
    const later = Date.now() + KEPT_ELSEWHERE_MS;
    if (!isByPassword) return { uid, evidence: { kind: 'token' }, endsAt: later };
    const endsAt = this.ldap.keeps({ sources }) ? later : undefined;
    return { uid, evidence: { kind: 'password', passwordHash }, endsAt };
  }

  /** Sign-ins of this list that are no longer valid; at most two statements, and those for accounts that are not in memory. */
  async ended(signIns: readonly StandingSignIn[]): Promise<StandingSignIn[]> {
    const idsOf = (kind: 'session' | 'app-password'): number[] =>
      signIns.flatMap(({ evidence }) => (evidence.kind === kind ? [evidence.id] : []));
    const policy = await this.policy.current();
    const [sessions, appPasswords] = await Promise.all([
      live(idsOf('session'), (ids) => this.sessions.stillLive(ids, policy.sessions.idleMinutes)),
      live(idsOf('app-password'), async (ids) =>
        (await this.appPasswords.stillLive(ids))
          .filter(({ scopes }) => scopes.includes('files'))
          .map(({ id }) => id),
      ),
    ]);
    const over: StandingSignIn[] = [];
    for (const signIn of signIns) {
      const account = await this.directory.find(signIn.uid);
      if (!account || !holds(signIn, account, { policy, sessions, appPasswords })) over.push(signIn);
    }
    return over;
  }
}

const live = async (
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<readonly number[]>,
): Promise<ReadonlySet<number>> => new Set(ids.length > 0 ? await read(ids) : []);

interface Facts {
  readonly policy: SharingPolicy;
  readonly sessions: ReadonlySet<number>;
  readonly appPasswords: ReadonlySet<number>;
}

function holds({ evidence, endsAt }: StandingSignIn, account: Account, facts: Facts): boolean {
  if (!account.enabled || facts.policy.maintenance) return false;
  if (endsAt !== undefined && endsAt <= Date.now()) return false;
  switch (evidence.kind) {
    case 'session':
      return (
        facts.sessions.has(evidence.id) &&
        (evidence.strength === 'two_factors' || !hasToHaveSecondFactor(facts.policy, account))
      );
    case 'app-password':
      return facts.appPasswords.has(evidence.id);
    case 'password':
      return (
        evidence.passwordHash === account.passwordHash &&
        !facts.policy.clientsNeedAppPasswords &&
        !demandsSecondFactor(facts.policy, account)
      );
    case 'token':
      return true;
  }
}
