import { Inject, Injectable } from '@nestjs/common';
import { BrowserSessionRepository, type BrowserSessionRow, type Strength } from '#persistence';
import { CONFIG, type Config } from '#platform';
import type { PolicySource } from '#sharing';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import type { IssuerSession } from '../oidc/issuer-sign-ins';
import { hasToHaveSecondFactor } from '../second-factor/demand';
import { POLICY } from '../user-accounts';
import { hashOfSecret, newSessionSecret, readSessionSecret, sessionCookie } from './session-cookie';

const DAY_MINUTES = 1440;
const HOUR_MINUTES = 60;
const USER_AGENT_CHARACTERS = 256;

/** A browser in which an account is signed in. */
export interface BrowserSession {
  readonly id: number;
  /** Secret of its cookie. */
  readonly secret: string;
  readonly strength: Strength;
  /** Whether its account has to set up a second factor before anything else. */
  readonly lacksSecondFactor: boolean;
}

/** Sessions of browsers. One statement per request finds them, so that every replica refuses an ended one at once. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly sessions: BrowserSessionRepository,
    private readonly directory: AccountDirectory,
    @Inject(POLICY) private readonly policy: PolicySource,
    @Inject(CONFIG) private readonly config: Pick<Config, 'OIDC_SESSION_HOURS'>,
  ) {}

  /**
   * The session of a request, with its account.
   * @param cookies `Cookie` header
   */
  async find(
    cookies: string | undefined,
  ): Promise<{ readonly session: BrowserSession; readonly account: Account } | undefined> {
    const secret = readSessionSecret(cookies);
    if (secret === undefined) return undefined;
    const found = await this.sessions.find(hashOfSecret(secret), await this.idleMinutes());
    const account = found && (await this.directory.find(found.uid));
    if (!account) return undefined;
    const { id, strength } = found;
    const lacksSecondFactor =
      strength === 'one_factor' && hasToHaveSecondFactor(await this.policy.current(), account);
    return { session: { id, secret, strength, lacksSecondFactor }, account };
  }

  /**
   * Opens a session with a new secret after a sign-in. A secret from before the sign-in is never reused.
   * @param atIssuer the session behind it, with which it ends
   * @returns the `Set-Cookie` header for the browser
   */
  async open(
    account: Account,
    strength: Strength,
    browser: { readonly userAgent: string; readonly address: string },
    atIssuer?: IssuerSession,
  ): Promise<string> {
    const most = (await this.policy.current()).sessions.days * DAY_MINUTES;
    const minutes = atIssuer ? Math.min(most, this.config.OIDC_SESSION_HOURS * HOUR_MINUTES) : most;
    const secret = newSessionSecret();
    await this.sessions.open({
      uid: account.uid,
      secretHash: hashOfSecret(secret),
      userAgent: printable(browser.userAgent),
      address: browser.address,
      minutes,
      strength,
      issuer: atIssuer?.issuer ?? null,
      issuerSession: atIssuer?.id ?? null,
    });
    return sessionCookie(secret, minutes * 60);
  }

  /** Notes that the account proved its second factor in this session. */
  strengthen(uid: string, id: number): Promise<void> {
    return this.sessions.strengthen(uid, id);
  }

  /** Sessions of an account, the last used first. */
  async list(uid: string): Promise<readonly BrowserSessionRow[]> {
    return this.sessions.list(uid, await this.idleMinutes());
  }

  /** Ends a session of this account. @returns whether there was one */
  end(uid: string, id: number): Promise<boolean> {
    return this.sessions.end(uid, id);
  }

  /** Ends all sessions of an account except this one; all of them if none is given. */
  endOthers(uid: string, id: number | undefined): Promise<void> {
    return this.sessions.endOthers(uid, id ?? null);
  }

  private async idleMinutes(): Promise<number> {
    return (await this.policy.current()).sessions.idleMinutes;
  }
}

/** Removes NUL, which Postgres does not accept: browsers may use any name. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, USER_AGENT_CHARACTERS);
